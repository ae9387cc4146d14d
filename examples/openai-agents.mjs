// OpenAI Agents: npm install @openai/agents
import { Agent, MCPServerStreamableHttp, run } from '@openai/agents'

/** Lets a model, by its name or as an object, do a task with the tools of Batua. */
export async function runAgent(model, prompt) {
  const { BATUA_BASE_URL, BATUA_AGENT_KEY } = process.env
  const headers = { Authorization: `Bearer ${BATUA_AGENT_KEY}` }
  const batua = new MCPServerStreamableHttp({ url: `${BATUA_BASE_URL}/mcp`, requestInit: { headers } })
  await batua.connect()
  try {
    const { finalOutput } = await run(new Agent({ name: 'buyer', model, mcpServers: [batua] }), prompt)
    return finalOutput
  } finally {
    await batua.close()
  }
}
