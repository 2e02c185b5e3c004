// Plays a host to one of our plugins: loads it, calls its handlers in the order of a script, prints what came of it.
// node host_driver.mjs PLUGIN SCRIPT MODE; a script is JSON lines, MODE is opencode1, opencode2 or pi.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [, , plugin, script, mode] = process.argv
const steps = readFileSync(script, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line))
const said = []
process.on("unhandledRejection", (error) => said.push({ unhandled: String(error) }))
process.on("uncaughtException", (error) => said.push({ uncaught: String(error) }))
const loaded = await import(pathToFileURL(plugin).href)

async function play(call, step) {
  const began = Date.now()
  try {
    const value = await call()
    said.push({ ...step, value: value ?? null, milliseconds: Date.now() - began })
  } catch (error) {
    said.push({ ...step, threw: String(error) })
  }
}

if (mode === "opencode1") {
  const makers = Object.values(loaded)
  if (makers.some((maker) => typeof maker !== "function")) throw new Error("a plugin exports functions only")
  const parents = steps.find((step) => step.parents)?.parents ?? {}
  const get = {
    throws: () => {
      throw new Error("no such call")
    },
    rejects: () => Promise.reject(new Error("not found")),
    "never answers": () => new Promise(() => {}),
    answers: async ({ path }) => ({ data: { id: path.id, parentID: parents[path.id] } }),
  }[steps[0].get ?? "answers"]
  const client = steps[0].get === "is missing" ? undefined : { session: { get } }
  const context = { directory: steps[0].directory ?? "/home/user/project", worktree: "/", project: {}, client, $: null }
  const made = []
  for (let copy = 0; copy < (steps[0].copies ?? 1); copy += 1) made.push(await makers[0](context))
  for (const step of steps) {
    for (const hooks of made) {
      if (step.hook === "event") void hooks.event({ event: step.event }) // a host does not wait for it
      else if (step.hook === "dispose") await play(() => hooks.dispose(), { hook: step.hook })
      else if (hooks[step.hook]) {
        const output = structuredClone(step.output ?? {})
        const before = output.system?.length
        const name = { hook: step.hook, run: step.run, session: step.input?.sessionID }
        await play(async () => {
          const value = await hooks[step.hook](step.input, output)
          if (value !== undefined) throw new Error("a hook returns nothing")
          return before === undefined ? null : output.system.slice(before)
        }, name)
      }
    }
  }
} else if (mode === "opencode2") {
  const hooks = {}
  const domain = (name) => ({ hook: async (event, handler) => void (hooks[`${name}.${event}`] = handler) })
  const parents = steps.find((step) => step.parents)?.parents ?? {}
  const get = async ({ sessionID }) => ({ id: sessionID, parentID: parents[sessionID], directory: "/home/user/project" })
  const context = { session: { ...domain("session"), get }, tool: domain("tool"), options: {} }
  const end = await loaded.default.setup(context)
  for (const step of steps) {
    if (step.hook === "cleanup") await play(end, { hook: step.hook })
    else if (hooks[step.hook]) {
      const event = structuredClone(step.event)
      const before = event.system?.length
      await play(async () => {
        await hooks[step.hook](event)
        return before === undefined ? null : event.system.slice(before)
      }, { hook: step.hook })
    }
  }
} else {
  let handlers = {}
  const api = { on: (name, handler) => void (handlers[name] ??= []).push(handler), ...(steps[0].omp ? { zod: {} } : {}) }
  loaded.default(api)
  for (const step of steps) {
    if (step.load) {
      handlers = {}
      loaded.default(api)
    }
    const manager = { getSessionId: () => step.session ?? "s1", getSessionFile: () => step.file }
    const context = { cwd: "/home/user/project", sessionManager: manager, agent: step.agent }
    for (const handler of handlers[step.on] ?? []) await play(() => handler(step.event ?? {}, context), { on: step.on })
  }
}
process.stdout.write(`${JSON.stringify(said)}\n`, () => process.exit(0))
