// Tells llm-wiki-hook what happens in a session. Written by `llm-wiki setup`, taken out by
// `llm-wiki setup --remove`; changes made here are lost. Nothing is stored until you enable it with
// `llm-wiki capture notes`. Nothing here blocks, changes or delays a tool, and no error leaves this file.
import { spawn } from "node:child_process"

const HOOK = "{{hook}}"
const WAIT_MS = 1000 // the host waits no longer for an answer
const LIFE_MS = 5000 // a hook that hangs is ended
const WAITING = 200 // more events than this are not kept waiting
const TEXT = 8192 // characters of a tool's argument that go to the hook, which keeps far fewer
const PROMPT = 65536

function stop(child) {
  try {
    process.kill(-child.pid, "SIGKILL") // with whatever it has started
  } catch {
    child.kill("SIGKILL")
  }
}

// Resolves with what the hook says, with "" after a second; never rejects.
function runHook(harness, payload) {
  return new Promise((resolve) => {
    let said = ""
    try {
      const child = spawn(HOOK, ["--harness", harness, "--emit", "text"], {
        stdio: ["pipe", "pipe", "ignore"],
        detached: true, // what stops the host must not stop the last events
      })
      const wait = setTimeout(() => {
        resolve("")
        child.stdout.destroy() // the host may end although the hook has not
      }, WAIT_MS)
      const life = setTimeout(() => stop(child), LIFE_MS)
      life.unref?.()
      const end = (text) => {
        clearTimeout(wait)
        clearTimeout(life)
        resolve(text)
      }
      child.on("error", () => end(""))
      child.on("close", (code) => end(code === 0 ? said.trim() : ""))
      child.stdout.on("data", (data) => (said += data))
      child.stdout.on("error", () => {})
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
      child.unref?.()
    } catch {
      resolve("")
    }
  })
}

function within(promise, milliseconds, otherwise) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(otherwise), milliseconds)
  })
  return Promise.race([promise.catch(() => otherwise), late]).finally(() => clearTimeout(timer))
}

// Sends events one after the other, so that they arrive in the order in which they happened. What is sent is
// an object, or a function that makes one when its turn has come, or makes null for nothing to send.
function makeQueue(harness) {
  let tail = Promise.resolve("")
  let waiting = 0
  return {
    send(given) {
      if (waiting >= WAITING) return Promise.resolve("")
      waiting += 1
      const answer = tail
        .then(() => (typeof given === "function" ? given() : given))
        .then((payload) => (payload ? runHook(harness, payload) : ""))
        .catch(() => "")
      tail = answer.finally(() => (waiting -= 1))
      return within(answer, WAIT_MS, "")
    },
    drain() {
      return within(tail, WAIT_MS, "")
    },
  }
}

// Returns a handler that swallows every error, so that the host never sees one.
function safe(handler) {
  return async (...given) => {
    try {
      return await handler(...given)
    } catch {
      return undefined
    }
  }
}

// Returns what the hook may want to know of a tool's arguments: short values, and of a patch only its file names.
function argumentsOf(given) {
  const found = {}
  if (!given || typeof given !== "object") return found
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "string") found[name] = value.slice(0, TEXT)
    else if (typeof value === "number" || typeof value === "boolean") found[name] = value
  }
  const patch = given.patchText ?? given.patch
  if (typeof patch === "string") {
    delete found.patchText
    delete found.patch
    found.command = patch.split("\n").filter((line) => line.startsWith("*** ")).join("\n").slice(0, TEXT)
  }
  for (const name of ["content", "newString", "oldString", "new_string", "old_string", "newText", "oldText"])
    delete found[name]
  return found
}
