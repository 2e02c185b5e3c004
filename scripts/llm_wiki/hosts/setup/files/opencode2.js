
// The plugin for OpenCode 2.x: an object with `id` and `setup`; what is registered lives as long as the plugin.
const idOf = (event) => event?.sessionID ?? ""

export default {
  id: "llm-wiki",
  setup: async (ctx) => {
    const queue = makeQueue("opencode")
    const sessions = new Map() // id -> { parent, directory, started, told }

    async function known(id) {
      if (!sessions.has(id)) {
        const asked = Promise.resolve().then(() => ctx.session.get({ sessionID: id }))
        const answer = await within(asked, 300, undefined)
        const info = answer?.data ?? answer ?? {}
        const directory = info.directory ?? info.location?.directory ?? process.cwd()
        if (!sessions.has(id)) sessions.set(id, { parent: info.parentID ?? "", directory, started: false, told: "" })
      }
      return sessions.get(id)
    }

    function tell(id, name, more = {}) {
      return queue.send(async () => {
        const session = await known(id)
        const own = session.parent ? { session_id: session.parent, agent_id: id } : { session_id: id }
        return { hook_event_name: name, cwd: session.directory, ...own, ...more }
      })
    }

    function promptOf(given) {
      if (typeof given === "string") return given
      if (typeof given?.text === "string") return given.text
      const parts = given?.parts ?? given?.content ?? []
      return Array.isArray(parts) ? parts.map((part) => (part?.type === "text" ? part.text : "")).join("\n") : ""
    }

    const register = async (domain, name, handler) => {
      try {
        await domain?.hook?.(name, safe(handler))
      } catch {
        // this version has no such hook
      }
    }

    await register(ctx.session, "prompt", async (event) => {
      const id = idOf(event)
      const session = await known(id)
      const answers = []
      if (!session.started) {
        session.started = true
        answers.push(tell(id, session.parent ? "SubagentStart" : "session.created"))
      }
      answers.push(tell(id, "chat.message", { prompt: promptOf(event.prompt).slice(0, PROMPT), turn_id: event.messageID }))
      if (!session.parent) session.told = (await Promise.all(answers)).find(Boolean) ?? session.told
    })
    await register(ctx.session, "context", async (event) => {
      const session = sessions.get(idOf(event))
      if (!session?.told || (event.kind && event.kind !== "primary") || !Array.isArray(event.system)) return
      event.system.push({ type: "text", text: session.told })
      session.told = ""
    })
    await register(ctx.session, "compaction", async (event) => {
      tell(idOf(event), "PreCompact")
    })
    await register(ctx.tool, "execute.after", async (event) => {
      const more = { tool_name: event.tool, tool_use_id: event.id, tool_input: argumentsOf(event.input) }
      const exit = event.result?.metadata?.exit
      if (typeof exit === "number") more.exit_code = exit
      const name = event.status === "error" ? "PostToolUseFailure" : "tool.execute.after"
      tell(idOf(event), name, more)
    })

    return safe(async () => {
      for (const [id, session] of sessions) {
        if (!session.started || session.parent) continue
        const from = { session_id: id, cwd: session.directory }
        queue.send({ hook_event_name: "session.idle", ...from })
        queue.send({ hook_event_name: "session_end", ...from, reason: "dispose" })
      }
      await queue.drain()
    })
  },
}
