// A stand-in for a host that loads our file: it reads one command a line, passes it on as the host would, and prints
// what came of it, one JSON value a line. Usage: stand_in.mjs opencode|pi FILE DIRECTORY
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"

const [, , host, file, directory] = process.argv
const { default: plugin } = await import(pathToFileURL(file))
const sent = []

async function opencode() {
  const session = {
    get: async ({ path }) => ({ data: { version: "1.2.3", parentID: path.id.startsWith("sub-") ? path.id.slice(4) : undefined } }),
    promptAsync: async ({ path, body }) => void sent.push([path.id, body.parts[0].text]),
  }
  const hooks = await plugin({ client: { session }, directory })
  return {
    prompt: async ({ session, message }) => {
      const parts = [{ type: "text", text: "a prompt" }]
      const messages = [{ info: { role: "user", id: message, sessionID: session }, parts }, { info: { role: "assistant" }, parts: [] }]
      await hooks["experimental.chat.messages.transform"]({}, { messages })
      return parts.slice(1).map((part) => part.text)
    },
    tool: async ({ session, tool, input }) => {
      try {
        await hooks["tool.execute.before"]({ tool, sessionID: session }, { args: input })
      } catch (error) {
        return error.message
      }
    },
    variables: async ({ session }) => {
      const output = { env: {} }
      await hooks["shell.env"]({ sessionID: session }, output)
      return output.env
    },
    busy: async ({ session, busy }) => {
      await hooks.event({ event: { type: "session.status", properties: { sessionID: session, status: { type: busy ? "busy" : "idle" } } } })
    },
    compacted: async ({ session }) => hooks.event({ event: { type: "session.compacted", properties: { sessionID: session } } }),
  }
}

async function pi() {
  const handlers = {}
  let isBusy = false
  let current
  const context = { cwd: directory, isIdle: () => !isBusy, sessionManager: { getSessionId: () => current } }
  const emit = async (name, event = {}) => (await Promise.all((handlers[name] ?? []).map((handler) => handler(event, context)))).find(Boolean)
  plugin({
    on: (name, handler) => (handlers[name] ??= []).push(handler),
    sendUserMessage: (text, options) => void sent.push([current, text, options]),
  })
  const begin = async (session) => {
    if (session === current) return
    if (current) await emit("session_shutdown")
    current = session
    await emit("session_start")
  }
  return {
    prompt: async ({ session }) => {
      await begin(session)
      const found = await emit("before_agent_start", { prompt: "a prompt" })
      return found ? [found.message.content] : []
    },
    tool: async ({ session, tool, input }) => {
      await begin(session)
      return (await emit("tool_call", { toolName: tool, input }))?.reason
    },
    variables: async () => ({ AGENT_MAIL_SELF: process.env.AGENT_MAIL_SELF, AGENT_MAIL_SESSION: process.env.AGENT_MAIL_SESSION }),
    busy: async ({ busy }) => {
      isBusy = busy
      if (!busy) await emit("agent_settled")
    },
    compacted: async () => emit("session_compact"),
  }
}

const commands = { ...(await { opencode, pi }[host]()), sent: async () => sent }
for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...fields } = JSON.parse(line)
  console.log(JSON.stringify((await commands[name](fields)) ?? null))
}
process.exit(0)
