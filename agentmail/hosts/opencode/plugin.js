// The plugin itself. A notice is put into the requests of one prompt and is not stored in the session: the model is
// told once, and no later prompt pays for it.
const FILE_TOOLS = ["write", "edit", "multiedit", "patch", "apply_patch"]

export default async ({ client, directory }) => {
  const sessions = new Map()
  let current // the session of the last prompt, which is the one that is woken
  let watched

  // What is known of a session: the id of the session that began it, for a subagent, and the version of opencode.
  const sessionOf = async (id) => {
    if (!sessions.has(id)) {
      const { data } = await client.session.get({ path: { id } })
      sessions.set(id, { id, parent: data?.parentID, version: data?.version, isBusy: false, isNew: true })
    }
    return sessions.get(id)
  }

  const rootOf = async (id) => {
    let found = await sessionOf(id)
    for (let depth = 0; found.parent && depth < 9; depth++) found = await sessionOf(found.parent)
    return found
  }

  const payloadOf = (session) => ({ session: session.id, directory, version: session.version })
  const variablesOf = (session) => ({ OPENCODE_SESSION_ID: session.id })

  const wake = async (text) => {
    await client.session.promptAsync({ path: { id: current.id }, body: { parts: [{ type: "text", text }] } })
  }

  // Watch for the session of this prompt, in place of the one before.
  const watchFor = async (session) => {
    if (!WAKE || watched?.id === session.id) return
    watched?.watcher?.close()
    watched = { id: session.id }
    watched.watcher = await watchInbox(payloadOf(session), variablesOf(session), () => session.isBusy, wake)
  }

  const prompted = async (session, message) => {
    session.message = message
    session.notice = undefined
    if (session.parent) return // a subagent never consumes the notices of its parent
    current = session
    session.notice = await notice(session.isNew, payloadOf(session), variablesOf(session))
    session.isNew = false
    await watchFor(session)
  }

  return {
    "experimental.chat.messages.transform": async (_, output) => {
      try {
        const user = output.messages.findLast((message) => message.info.role === "user")
        if (!user) return
        const { id: messageID, sessionID } = user.info
        const session = await sessionOf(sessionID)
        if (session.message !== messageID) await prompted(session, messageID)
        const text = session.notice
        if (text) user.parts.push({ id: "prt_agentmail", sessionID, messageID, type: "text", synthetic: true, text })
      } catch {}
    },
    "tool.execute.before": async (input, output) => {
      if (!FILE_TOOLS.includes(input.tool)) return
      let why
      try {
        const session = await rootOf(input.sessionID)
        why = await refusal({ ...payloadOf(session), tool: input.tool, input: output.args }, variablesOf(session))
      } catch {}
      if (why) throw new Error(why)
    },
    "shell.env": async (input, output) => {
      try {
        if (!input.sessionID) return
        const { id } = await rootOf(input.sessionID)
        const identity = identityOf(id)
        Object.assign(output.env, { ...variablesOf({ id }), AGENT_MAIL_SESSION: id })
        if (identity) output.env.AGENT_MAIL_SELF = identity
      } catch {}
    },
    event: async ({ event }) => {
      const session = sessions.get(event.properties?.sessionID)
      if (!session) return
      if (event.type === "session.compacted") session.isNew = true
      if (event.type !== "session.status") return
      session.isBusy = event.properties.status?.type !== "idle"
      if (!session.isBusy && watched?.id === session.id) await watched.watcher?.look()
    },
    dispose: async () => watched?.watcher?.close(),
  }
}
