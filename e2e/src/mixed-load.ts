import { type Acknowledged, openClient } from './acknowledged.ts'
import { type Api, openApi } from './api.ts'
import { type Cast, FLOWS } from './mixed-flows.ts'

export type FlowName = keyof typeof FLOWS

/** Clients of every kind of flow, each at all nodes. */
export interface MixedLoad {
  readonly acknowledged: Readonly<Record<FlowName, readonly Acknowledged[]>>
  /** What a client got that nobody may get. */
  readonly faults: readonly string[]
  /** Lets every client finish what it began. */
  stop(): Promise<void>
}

const NAMES = Object.keys(FLOWS) as FlowName[]

let runs = 0

/** `clients`: of each kind of flow. */
export function startMixedLoad(addresses: readonly string[], cast: Cast, clients = 1): MixedLoad {
  const nodes: Api[] = addresses.map(address => openApi(address))
  const acknowledged: Record<FlowName, Acknowledged[]> = {
    approval: [],
    escrow: [],
    nonce: [],
    authorization: [],
    wholeBalance: [],
  }
  const faults: string[] = []
  const run = `mixed${runs++}`
  const stopping = new AbortController()

  async function work(name: FlowName, count: number): Promise<void> {
    const client = openClient(nodes, count)
    for (let at = 0; !stopping.signal.aborted; at++) {
      try {
        acknowledged[name].push(await FLOWS[name](client, cast, `${run}-${name}-${count}-${at}`))
      } catch (error) {
        faults.push(String(error))
        return
      }
    }
  }
  const running = NAMES.flatMap(name => Array.from({ length: clients }, (_, count) => work(name, count)))
  return {
    acknowledged,
    faults,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
