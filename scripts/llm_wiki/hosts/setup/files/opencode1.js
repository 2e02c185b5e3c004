
// The plugin for OpenCode 1.x. OpenCode may make it twice, so what it knows of sessions is shared.
const llmWiki = (globalThis[Symbol.for("llm-wiki.opencode")] ??= {
  queue: makeQueue("opencode"),
  sessions: new Map(), // id -> what is known of it
  seen: new Set(), // events that were delivered
  ordered: false, // whether messages are shown to plugins before each call of the model
})

function sessionOf(id) {
  const known = llmWiki.sessions
  if (!known.has(id)) {
    if (known.size > 500) known.delete(known.keys().next().value)
    known.set(id, {
      parent: undefined, created: false, started: false, idle: true, ended: false, told: "", directory: "",
      ready: false, compacting: false, calls: 0,
    })
  }
  return known.get(id)
}

function first(mark) {
  const seen = llmWiki.seen
  if (seen.has(mark)) return false
  if (seen.size > 5000) seen.clear()
  seen.add(mark)
  return true
}

// A title or a summary is written by a prompt of its own, which must not get the text.
function isAuxiliary(system) {
  const start = system.join("\n").slice(0, 400)
  return /title generator|(?:thread|conversation|session) title|summari[sz]\w* (?:an? |the |this |our )?conversation/i.test(start)
}

export const LlmWiki = async (context) => {
  const client = context?.client
  const here = context?.directory || context?.worktree || process.cwd()

  async function parentOf(id) {
    const session = sessionOf(id)
    if (session.parent === undefined && !session.created && client?.session?.get) {
      const asked = Promise.resolve().then(() => client.session.get({ path: { id } }))
      const answer = await within(asked, 300, undefined)
      session.parent = answer?.data?.parentID ?? ""
      session.directory ||= answer?.data?.directory ?? ""
    }
    return session.parent ?? ""
  }

  // Events of a subagent carry the id of the session that started it, and their own as the agent's.
  async function base(id) {
    let top = id
    for (let step = 0; step < 8; step += 1) {
      const parent = await parentOf(top)
      if (!parent) break
      top = parent
    }
    const found = { session_id: top, cwd: sessionOf(id).directory || sessionOf(top).directory || here }
    return top === id ? found : { ...found, agent_id: id }
  }

  function tell(id, name, more = {}) {
    return llmWiki.queue.send(async () => ({ hook_event_name: name, ...(await base(id)), ...more }))
  }

  function tellEither(id, ofMain, ofChild, more = {}) {
    return llmWiki.queue.send(async () => {
      const from = await base(id)
      const name = from.agent_id ? ofChild : ofMain
      return name ? { hook_event_name: name, ...from, ...more } : null
    })
  }

  function failed(part) {
    if (part?.type !== "tool" || part.state?.status !== "error" || !first(`tool:${part.sessionID}:${part.callID}`)) return
    const more = { tool_name: part.tool, tool_use_id: part.callID, tool_input: argumentsOf(part.state.input) }
    tell(part.sessionID, "PostToolUseFailure", more)
  }

  function happened(event) {
    const given = event?.properties ?? {}
    const id = given.sessionID ?? given.info?.id
    if (event?.type === "message.part.updated") failed(given.part)
    if (typeof id !== "string" || !String(event?.type).startsWith("session.")) return
    const session = sessionOf(id)
    if (event.type === "session.created") {
      session.created = true
      session.parent = given.info?.parentID ?? ""
      session.directory = given.info?.directory ?? ""
      return
    }
    if (!["session.idle", "session.compacted", "session.deleted"].includes(event.type)) return
    if (event.id && !first(event.id)) return
    if (event.type === "session.compacted") session.compacting = false
    if (event.type === "session.idle") session.idle = true
    if (event.type === "session.deleted") session.ended = true
    if (!session.started) return // nothing was said in it
    tellEither(id, event.type, event.type === "session.idle" ? "SubagentStop" : "")
  }

  async function prompted(input, output) {
    const id = input?.sessionID
    const message = output?.message?.id ?? input?.messageID ?? ""
    if (typeof id !== "string" || (message && !first(`message:${message}`))) return
    const session = sessionOf(id)
    const typed = (output?.parts ?? []).filter((part) => part?.type === "text" && !part.synthetic)
    const model = output?.message?.model ?? input?.model
    const more = {
      prompt: typed.map((part) => part.text).join("\n").slice(0, PROMPT),
      turn_id: message,
      model: model?.modelID ? `${model.providerID}/${model.modelID}` : "",
    }
    session.idle = false
    session.ended = false
    const answers = []
    if (!session.started) {
      session.started = true
      const source = session.created ? "startup" : "resume"
      answers.push(tellEither(id, "session.created", "SubagentStart", { source, model: more.model }))
    }
    answers.push(tell(id, "chat.message", more))
    if (await parentOf(id)) return // what a subagent hears, it hears from the session that started it
    session.told = (await Promise.all(answers)).find(Boolean) ?? session.told
  }

  async function ended() {
    for (const [id, session] of llmWiki.sessions) {
      if (!session.started || session.parent || session.ended || (session.directory || here) !== here) continue
      const from = { session_id: id, cwd: session.directory || here }
      if (!session.idle) llmWiki.queue.send({ hook_event_name: "session.idle", ...from })
      llmWiki.queue.send({ hook_event_name: "session_end", ...from, reason: "dispose" })
      session.ended = true
      session.started = false
    }
    await llmWiki.queue.drain()
  }

  return {
    event: safe(async ({ event }) => happened(event)),
    "chat.message": safe(prompted),
    "tool.execute.after": safe(async (input, output) => {
      if (!first(`tool:${input.sessionID}:${input.callID}`)) return
      const exit = output?.metadata?.exit
      const more = { tool_name: input.tool, tool_use_id: input.callID, tool_input: argumentsOf(input.args) }
      if (typeof exit === "number") more.exit_code = exit
      tell(input.sessionID, "tool.execute.after", more) // the tool does not wait
    }),
    "experimental.session.compacting": safe(async (input) => {
      sessionOf(input.sessionID).compacting = true
      tell(input.sessionID, "PreCompact")
    }),
    "experimental.chat.messages.transform": safe(async (_input, output) => {
      llmWiki.ordered = true
      const id = output?.messages?.find((message) => message?.info?.sessionID)?.info.sessionID
      for (const session of id ? [sessionOf(id)] : llmWiki.sessions.values()) session.ready = true
    }),
    // Once a session, in the first call that does its work.
    "experimental.chat.system.transform": safe(async (input, output) => {
      const session = llmWiki.sessions.get(input?.sessionID)
      if (!session?.told || session.compacting || !Array.isArray(output?.system)) return
      session.calls += 1 // the first may be that for the title
      if (isAuxiliary(output.system) || !(session.ready || (!llmWiki.ordered && session.calls > 1))) return
      output.system.push(session.told)
      session.told = ""
    }),
    dispose: safe(ended),
  }
}
