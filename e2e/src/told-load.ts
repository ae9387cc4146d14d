import { type Api, openApi } from './api.ts'
import { openClient, type Told } from './told.ts'
import { type Cast, FLOWS } from './told-flows.ts'

export type FlowName = keyof typeof FLOWS

/** Clients of every kind of flow, each at all nodes. */
export interface ToldLoad {
  readonly told: Readonly<Record<FlowName, readonly Told[]>>
  /** What a client got that nobody may get. */
  readonly faults: readonly string[]
  /** Lets every client finish what it began. */
  stop(): Promise<void>
}

const NAMES = Object.keys(FLOWS) as FlowName[]

let runs = 0

/** `clients`: of each kind of flow. */
export function startToldLoad(addresses: readonly string[], cast: Cast, clients = 1): ToldLoad {
  const nodes: Api[] = addresses.map(address => openApi(address))
  const told: Record<FlowName, Told[]> = {
    approval: [],
    escrow: [],
    nonce: [],
    authorization: [],
    wholeBalance: [],
  }
  const faults: string[] = []
  const run = `told${runs++}`
  const stopping = new AbortController()

  async function work(name: FlowName, count: number): Promise<void> {
    const client = openClient(nodes, count)
    for (let at = 0; !stopping.signal.aborted; at++) {
      try {
        told[name].push(await FLOWS[name](client, cast, `${run}-${name}-${count}-${at}`))
      } catch (error) {
        faults.push(String(error))
        return
      }
    }
  }
  const running = NAMES.flatMap(name => Array.from({ length: clients }, (_, count) => work(name, count)))
  return {
    told,
    faults,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
