import { Usage } from '@openai/agents'
import { nextStep } from './script.mjs'

/** The scripted model as a `Model` of OpenAI Agents. */
export function scriptedModel() {
  return {
    async getResponse({ input, tools }) {
      const prompt = input.find(({ role }) => role === 'user').content
      const results = input
        .filter(({ type }) => type === 'function_call_result')
        .map(({ output }) => textOf(output))
      const step = nextStep(
        prompt,
        tools.map(({ name }) => name),
        results,
      )
      return { usage: new Usage(), output: [outputOf(step, `call_${results.length}`)] }
    },
  }
}

function outputOf({ tool, input, text }, callId) {
  if (tool !== undefined)
    return { type: 'function_call', callId, name: tool, arguments: JSON.stringify(input) }
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}

function textOf(output) {
  const parts = Array.isArray(output) ? output : [output]
  return parts.map(part => part.text ?? String(part)).join('')
}
