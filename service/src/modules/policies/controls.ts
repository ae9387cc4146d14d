import type { PolicyLayer } from '@batua/contract'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'

/** The ten controls of one layer. null: this layer sets no limit; 0: none at all. */
export interface Controls {
  readonly perTxPaise: Paise | null
  readonly hourlyPaise: Paise | null
  readonly dailyPaise: Paise | null
  readonly monthlyPaise: Paise | null
  readonly perCounterpartyDailyPaise: Paise | null
  readonly maxCounterpartiesPerHour: number | null
  readonly requireEscrowAbovePaise: Paise | null
  readonly requireApprovalAbovePaise: Paise | null
  /** null: any active agent of the network. */
  readonly allowedPayees: ReadonlySet<Uuid> | null
  readonly blockedPayees: ReadonlySet<Uuid> | null
}

/** The layers that decide about an agent, from the most general to its own. The tightest limit wins. */
export interface Layer {
  readonly layer: PolicyLayer
  readonly controls: Controls
}

/** Whether a payer's payments have to be counted for each counterparty. */
export function watchesCounterparties(layers: readonly Layer[]): boolean {
  return layers.some(
    ({ controls }) =>
      controls.perCounterpartyDailyPaise !== null || controls.maxCounterpartiesPerHour !== null,
  )
}
