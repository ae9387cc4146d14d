import type { Uuid } from '../../../kernel/ids.ts'
import type { DebitRow } from './sides-store.ts'
import type { Fault } from './wallet-proof.ts'

export const SYSTEM_FAULTS = ['altered_transfer', 'folded_differs'] as const

/**
 * What was debited from a system account. It has no row and no history of its own: its transfers must bear their seals,
 * and come to what was folded of them, or somebody has taken one away or put one there.
 */
export interface SystemProof {
  readonly account: Uuid
  /** What is folded was posted before this moment. */
  readonly untilMs: number
  readonly folded: bigint
  readonly altered: Uuid[]
  debited: bigint
}

const MAX_NAMED = 10

export function beginSystemProof(account: Uuid, folded: { untilMs: number; debited: bigint }): SystemProof {
  return { account, untilMs: folded.untilMs, folded: folded.debited, altered: [], debited: 0n }
}

export function addSystemDebit(proof: SystemProof, row: DebitRow, isGenuine: boolean): void {
  if (!isGenuine && proof.altered.length < MAX_NAMED) proof.altered.push(row.id)
  if (row.postedAt.getTime() < proof.untilMs) proof.debited += row.amountPaise + row.feePaise
}

export function concludeSystem({ account, altered, debited, folded }: SystemProof): Fault[] {
  const faults: Fault[] = []
  if (altered.length > 0)
    faults.push({ subject: account, kind: 'altered_transfer', detail: altered.join(', ') })
  if (debited !== folded) {
    faults.push({ subject: account, kind: 'folded_differs', detail: `${folded} is not ${debited}` })
  }
  return faults
}
