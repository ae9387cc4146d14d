import { MockLanguageModelV3 } from 'ai/test'
import { nextStep } from './script.mjs'

/** The scripted model in the form of the AI SDK, which Mastra takes too. */
export function scriptedModel() {
  const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } }
  const step = ({ prompt, tools }) => {
    const said = prompt
      .find(({ role }) => role === 'user')
      .content.map(({ text }) => text)
      .join('')
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
    const names = tools.map(({ name }) => name)
    return nextStep(
      said,
      names,
      results.map(({ output }) => textOf(output)),
    )
  }
  let calls = 0
  const response = options => {
    const { tool, input, text } = step(options)
    if (tool === undefined)
      return { finishReason: { unified: 'stop', raw: 'stop' }, content: [{ type: 'text', text }] }
    const call = {
      type: 'tool-call',
      toolCallId: `call_${calls++}`,
      toolName: tool,
      input: JSON.stringify(input),
    }
    return { finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, content: [call] }
  }
  return new MockLanguageModelV3({
    doGenerate: async options => ({ ...response(options), usage, warnings: [] }),
    doStream: async options => {
      const { content, finishReason } = response(options)
      const parts = content.flatMap(part =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: part.text },
              { type: 'text-end', id: 't' },
            ]
          : [part],
      )
      const start = { type: 'stream-start', warnings: [] }
      return { stream: ReadableStream.from([start, ...parts, { type: 'finish', finishReason, usage }]) }
    },
  })
}

/** A result is a text, parts with texts, or the result of the tool as it came. */
function textOf({ value }) {
  if (typeof value === 'string') return value
  const parts = Array.isArray(value) ? value : (value.content ?? [value])
  return parts.map(part => part.text ?? JSON.stringify(part)).join('')
}
