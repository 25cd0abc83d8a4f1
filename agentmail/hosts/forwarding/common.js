// What was written by `wire` above this line, and how our hooks are run. Everything here fails silently: mail must
// not stop the host, and the program may have been removed without `agentmail unwire`.
//
// Most prompts end in `isSilent`, without a process: our hooks leave for each session a directory of files whose
// modification times are the state, and if anything about them is unexpected, the hook runs. hooks/mail-check does
// the same for other hosts.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const DEADLINE = 5000
const STATE_FILES = ["now", "due", "last", "interval", "seen", "registry", "nobody"]

const busPath = () => process.env.AGENT_MAIL_DIR ?? `${process.env.HOME ?? ""}/.agents/mail`
const lookAt = (file, how = fs.lstatSync) => how(file, { bigint: true, throwIfNoEntry: false })

function exists(file) {
  try {
    return lookAt(file) !== undefined
  } catch {
    return true // something that cannot be examined is reported by the hook
  }
}

// The directory in which our hooks keep what they know of a session; nothing where a part of it is a symlink.
function stateOf(session) {
  const bus = busPath().replace(/\/+$/, "")
  const home = process.env.HOME ?? ""
  let own = `${home}/.agents/machine`
  if (!home.startsWith("/") || !bus.startsWith("/") || `${own}/`.startsWith(`${bus}/`)) return
  for (const part of [".", ...bus.split("/").filter(Boolean).map((part) => `_${part}`), "hooks", session]) {
    own = path.join(own, part)
    if (lookAt(own)?.isSymbolicLink()) return
  }
  return own
}

function isUnchanged(file, stamp) {
  const [now, then] = [lookAt(file, fs.statSync), lookAt(stamp)]
  return now && then ? now.mtimeNs === then.mtimeNs : now === then
}

function hasNoBus() {
  return path.isAbsolute(busPath()) && !exists(busPath())
}

// True where nothing has changed since the hook last looked for this session.
function isSilent(session) {
  try {
    if (process.env.AGENT_MAIL_DRY_RUN || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(session)) return false
    const state = stateOf(session)
    if (!state) return false
    if (hasNoBus()) return !exists(path.dirname(path.dirname(state)))
    if (!lookAt(state)?.isDirectory()) return false
    if (STATE_FILES.some((name) => lookAt(`${state}/${name}`)?.isSymbolicLink())) return false
    const registry = isUnchanged(`${busPath()}/registry.md`, `${state}/registry`)
    if (lookAt(`${state}/nobody`)) return registry
    if (!lookAt(`${state}/inbox`)?.isSymbolicLink()) return false
    fs.accessSync(`${state}/inbox/.`, fs.constants.R_OK | fs.constants.X_OK)
    return registry && isUnchanged(`${state}/inbox/.`, `${state}/seen`)
  } catch {
    return false
  }
}

// The identity for which our hooks began a session; nothing where it has none.
function identityOf(session) {
  try {
    const found = fs.readFileSync(`${stateOf(session)}/bound`, "utf8")
    return /^[a-z0-9][a-z0-9-]*$/.test(found) ? found : undefined
  } catch {}
}

// The program, also under another version of Python than it was installed for; nothing where it is gone.
function findProgram() {
  if (fs.existsSync(PROGRAM)) return PROGRAM
  if (!OTHER_VERSIONS) return
  const [before, after] = OTHER_VERSIONS
  const names = fs.existsSync(before) ? fs.readdirSync(before).sort() : []
  return names.filter((name) => name.startsWith("py")).map((name) => before + name + after).find((file) => fs.existsSync(file))
}

// Run a hook: how it ended, and what it printed. Never an error.
function run(job, payload, variables) {
  return new Promise((resolve) => {
    const failed = () => resolve({ code: 0, out: "", err: "" })
    try {
      const program = findProgram()
      if (!program) return failed()
      const said = { out: "", err: "" }
      const env = { ...process.env, ...variables }
      const child = spawn(program, [PYTHON || "-", DIALECT, ...job], { env, timeout: DEADLINE, killSignal: "SIGKILL" })
      child.on("error", failed)
      child.stdout.setEncoding("utf8").on("data", (text) => (said.out += text))
      child.stderr.setEncoding("utf8").on("data", (text) => (said.err += text))
      child.stdin.on("error", () => {})
      child.on("close", (code) => resolve({ code, ...said }))
      child.stdin.end(JSON.stringify(payload))
    } catch {
      failed()
    }
  })
}

// What a hook answers to an event: the field of this name; nothing where it says nothing.
async function ask(job, field, payload, variables) {
  try {
    const { out } = await run(job, payload, variables)
    const answer = out ? JSON.parse(out)[field] : undefined
    return typeof answer === "string" && answer ? answer : undefined
  } catch {}
}

// Why a file tool may not do this; nothing where it may, and where that is not known.
function refusal(payload, variables) {
  return hasNoBus() ? undefined : ask(["guard"], "deny", { event: "write", ...payload }, variables)
}

// The notice for a prompt of a session, at its start and later; nothing where nothing is new.
function notice(isStart, payload, variables) {
  const kind = isStart ? "start" : "prompt"
  if (isSilent(payload.session) && (!isStart || hasNoBus())) return undefined
  return ask(["check", kind], "notice", { event: kind, ...payload }, variables)
}

// Watch the inbox of a session; at a message it was not shown, `wake` gets the notice. Where `isBusy()`, that
// waits until `look()`, which is returned with `close()`.
async function watchInbox(payload, variables, isBusy, wake) {
  const inbox = await ask(["wake", "start"], "watch", { event: "start", ...payload }, variables)
  if (!inbox) return
  let looking = false
  let again = false
  const look = async () => {
    if (isBusy()) return void (again = true)
    if (looking) return void (again = true)
    looking = true
    again = false
    try {
      const { code, err } = await run(["wake", "arrived"], { event: "arrived", ...payload }, variables)
      if (code === WAKE_CODE && err) await wake(err.trimEnd())
    } catch {
    } finally {
      looking = false
    }
    if (again && !isBusy()) await look()
  }
  try {
    const watcher = fs.watch(inbox, { persistent: false }, () => void look())
    watcher.on("error", () => {})
    return { look: () => (again ? look() : undefined), close: () => watcher.close() }
  } catch {}
}
