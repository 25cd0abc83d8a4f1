// The extension itself. A notice is a message of its own before the model, which the user sees too.
const FILE_TOOLS = ["write", "edit"]

export default function (pi) {
  const inherited = { AGENT_MAIL_SELF: process.env.AGENT_MAIL_SELF, AGENT_MAIL_SESSION: process.env.AGENT_MAIL_SESSION }
  let session = ""
  let directory = ""
  let version
  let isNew = true
  let watcher

  const payload = () => ({ session, directory, version })
  const variables = () => ({ PI_SESSION_ID: session })

  // The commands of the session are told who they act for.
  const set = (values) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }

  pi.on("session_start", async (_, context) => {
    try {
      session = context.sessionManager.getSessionId()
      directory = context.cwd
      isNew = true
      set({ AGENT_MAIL_SESSION: session })
      version = await import("@earendil-works/pi-coding-agent").then((host) => host.VERSION).catch(() => undefined)
      if (!WAKE) return
      const send = (text) => pi.sendUserMessage(text, context.isIdle() ? undefined : { deliverAs: "followUp" })
      watcher = await watchInbox(payload(), variables(), () => !context.isIdle(), send)
    } catch {}
  })

  pi.on("before_agent_start", async () => {
    try {
      const content = await notice(isNew, payload(), variables())
      isNew = false
      set({ AGENT_MAIL_SELF: identityOf(session) ?? inherited.AGENT_MAIL_SELF })
      if (content) return { message: { customType: "agentmail", content, display: true } }
    } catch {}
  })

  pi.on("tool_call", async (event) => {
    if (!FILE_TOOLS.includes(event.toolName)) return
    const reason = await refusal({ ...payload(), tool: event.toolName, input: event.input }, variables())
    if (reason) return { block: true, reason }
  })

  pi.on("session_compact", () => {
    isNew = true
  })

  pi.on("agent_settled", () => watcher?.look())

  pi.on("session_shutdown", () => {
    watcher?.close()
    set(inherited)
  })
}
