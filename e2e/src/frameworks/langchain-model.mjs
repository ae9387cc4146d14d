import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { nextStep } from './script.mjs'

const MOST_STEPS = 10

/** The scripted model as a chat model of LangChain. */
export function scriptedModel() {
  let names = []
  const response = messages => {
    const prompt = messages.find(message => message.type === 'human').text
    const results = messages.filter(message => message.type === 'tool').map(message => message.text)
    const { tool, input, text } = nextStep(prompt, names, results)
    if (tool === undefined) return new AIMessage(text)
    return new AIMessage({
      content: '',
      tool_calls: [{ name: tool, args: input, id: `call_${results.length}` }],
    })
  }
  const model = fakeModel()
  for (let step = 0; step < MOST_STEPS; step++) model.respond(response)
  const bindTools = model.bindTools.bind(model)
  model.bindTools = tools => {
    names = tools.map(({ name }) => name)
    return bindTools(tools)
  }
  return model
}
