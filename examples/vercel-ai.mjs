// Vercel AI SDK: npm install ai @ai-sdk/mcp
import { createMCPClient } from '@ai-sdk/mcp'
import { generateText, isStepCount } from 'ai'

/** Lets a model, such as `openai('gpt-5')` of `@ai-sdk/openai`, do a task with the tools of Batua. */
export async function runAgent(model, prompt) {
  const { BATUA_BASE_URL, BATUA_AGENT_KEY } = process.env
  const headers = { Authorization: `Bearer ${BATUA_AGENT_KEY}` }
  const batua = await createMCPClient({ transport: { type: 'http', url: `${BATUA_BASE_URL}/mcp`, headers } })
  try {
    const tools = await batua.tools()
    const { text } = await generateText({ model, tools, prompt, stopWhen: isStepCount(10) })
    return text
  } finally {
    await batua.close()
  }
}
