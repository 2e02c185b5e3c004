
// The extension for pi and omp, a derivative of pi that also tells its extensions which agent a session runs.
// It is TypeScript without types, which every loader of theirs takes.
const kept = (globalThis[Symbol.for("llm-wiki.pi")] ??= {
  main: "", // the session that subagents' belong to
  told: new Map(), // what a session was told; outlives a reload of the extension
})

export default function llmWiki(pi) {
  const isOmp = "zod" in pi || "arktype" in pi
  const queue = makeQueue(isOmp ? "omp" : "pi")
  const inputs = new Map()

  function ownId(ctx) {
    return String(ctx?.sessionManager?.getSessionId?.() ?? "")
  }

  function tell(name, ctx, more = {}) {
    const own = ownId(ctx)
    const payload = { hook_event_name: name, cwd: ctx?.cwd ?? process.cwd() }
    if (ctx?.agent?.kind === "sub") {
      payload.session_id = kept.main || own
      payload.agent_id = String(ctx.agent.id ?? own)
    } else {
      kept.main = own
      payload.session_id = own
      const file = ctx?.sessionManager?.getSessionFile?.()
      if (file) payload.transcript_path = String(file)
    }
    return queue.send({ ...payload, ...more })
  }

  function remember(ctx, text) {
    if (kept.told.size > 500) kept.told.clear()
    if (!kept.told.has(ownId(ctx))) kept.told.set(ownId(ctx), text)
  }

  function isIn(prompt, text) {
    return [prompt].flat().some((part) => typeof part === "string" && part.includes(text))
  }

  function exitCode(result) {
    const named = result?.details?.exitCode ?? result?.details?.exit_code
    if (typeof named === "number") return named
    const text = result?.content?.at?.(-1)?.text
    const match = typeof text === "string" ? /exited with code (\d+)/.exec(text.slice(-200)) : null
    return match ? Number(match[1]) : undefined
  }

  const started = safe(async (event, ctx) => {
    const isChild = ctx?.agent?.kind === "sub"
    const said = await tell(isChild ? "SubagentStart" : "session_start", ctx, { source: event?.reason ?? "startup" })
    if (isChild || !said) return undefined
    remember(ctx, said)
    return { systemPromptAppend: said }
  })
  pi.on("session_start", started)
  if (isOmp) pi.on("session_switch", safe(async (event, ctx) => void (await started(event, ctx))))

  // Where a session's start cannot add to the system prompt, a run's start can.
  pi.on("before_agent_start", safe(async (event, ctx) => {
    const typed = event?.messageType !== "custom" // an extension's message is not the user's
    const said = typed ? await tell("input", ctx, { prompt: String(event?.prompt ?? "").slice(0, PROMPT) }) : ""
    if (ctx?.agent?.kind === "sub") return undefined
    if (said) remember(ctx, said)
    const told = kept.told.get(ownId(ctx))
    const system = event?.systemPrompt
    if (!told || system === undefined || isIn(system, told)) return undefined
    return { systemPrompt: Array.isArray(system) ? [...system, told] : `${system}\n\n${told}` }
  }))

  pi.on("tool_call", safe(async (event) => {
    if (inputs.size > 500) inputs.clear()
    inputs.set(event.toolCallId, event.input)
  }))
  pi.on("tool_execution_end", safe(async (event, ctx) => {
    const more = {
      tool_name: event.toolName,
      tool_use_id: event.toolCallId,
      tool_input: argumentsOf(inputs.get(event.toolCallId)),
    }
    inputs.delete(event.toolCallId)
    const code = exitCode(event.result)
    if (code !== undefined) more.exit_code = code
    void tell(event.isError ? "PostToolUseFailure" : "tool_result", ctx, more) // the tool does not wait
  }))

  pi.on("session_before_compact", safe(async (event, ctx) => {
    void tell("session_before_compact", ctx, { trigger: event?.reason ?? "" })
  }))
  pi.on("session_compact", safe(async (_event, ctx) => void tell("session_compact", ctx)))
  pi.on(isOmp ? "agent_end" : "agent_settled", safe(async (_event, ctx) => {
    void tell(ctx?.agent?.kind === "sub" ? "SubagentStop" : "agent_settled", ctx)
  }))
  pi.on("session_shutdown", safe(async (event, ctx) => {
    const goesOn = ctx?.agent?.kind === "sub" || event?.reason === "reload"
    if (!goesOn) void tell("session_shutdown", ctx, { reason: event?.reason ?? "" })
    await queue.drain()
  }))
}
