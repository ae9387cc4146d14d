import type { PolicyLayer } from '@batua/contract'
import { type Database, openDatabase } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import {
  type ControlColumns,
  expectBalanced,
  fund,
  insertAgent,
  startNode,
  type TestNode,
} from '../builders.ts'
import { createTestDatabase } from '../database.ts'
import { type ManualClock, manualClock } from '../manual-clock.ts'
import { setLayer, setTier } from './layers.ts'

/** More than any test of limits spends, so that no payment is refused for its balance. */
const ENOUGH = 10n ** 13n

/** Two nodes on one database, each with a clock and connections of its own. */
export interface LimitsStage {
  readonly database: Database
  readonly nodes: readonly [StageNode, StageNode]
  setClocks(moment: Date): void
  newPayee(): Promise<Uuid>
  /** A funded agent, created at the first node's time, with only the limits of these layers. */
  newPayer(layers?: Partial<Record<PolicyLayer, ControlColumns>>): Promise<Uuid>
  /** Fails unless the ledger is balanced and no batch failed. */
  close(): Promise<void>
}

export interface StageNode extends TestNode {
  readonly clock: ManualClock
}

export async function openLimitsStage(start: Date): Promise<LimitsStage> {
  const db = await createTestDatabase()
  const second = openDatabase(db.url)
  const openNode = (database: Database): StageNode => {
    const clock = manualClock(start)
    return { ...startNode({ database, clock }), clock }
  }
  const nodes = [openNode(db.database), openNode(second)] as const
  const now = () => nodes[0].clock.now()
  return {
    database: db.database,
    nodes,
    setClocks: moment => nodes.forEach(({ clock }) => clock.set(moment)),
    newPayee: () => insertAgent(db.database, now()),
    async newPayer(layers = {}) {
      const id = await insertAgent(db.database, now(), layers.agent)
      await setTier(db.database, 'tier3', layers.tier ?? {}, [])
      for (const layer of ['owner', 'org'] as const) {
        const controls = layers[layer]
        if (controls !== undefined) await setLayer(db.database, id, layer, controls)
      }
      await fund(nodes[0].ledger, id, ENOUGH)
      return id
    },
    async close() {
      try {
        await expectBalanced(db.database)
        const broken = nodes.flatMap(node => node.broken)
        if (broken.length > 0) throw new Error('batches failed', { cause: broken })
      } finally {
        await Promise.all(nodes.map(({ ledger }) => ledger.close()))
        await second.close()
        await db.drop()
      }
    },
  }
}
