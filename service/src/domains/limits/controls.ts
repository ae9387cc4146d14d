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

/** A layer that sets nothing. */
export const NO_CONTROLS: Controls = {
  perTxPaise: null,
  hourlyPaise: null,
  dailyPaise: null,
  monthlyPaise: null,
  perCounterpartyDailyPaise: null,
  maxCounterpartiesPerHour: null,
  requireEscrowAbovePaise: null,
  requireApprovalAbovePaise: null,
  allowedPayees: null,
  blockedPayees: null,
}

/** One layer of an agent's policy. Layers run from the most general to the agent's own; the tightest limit applies. */
export interface Layer {
  readonly layer: PolicyLayer
  readonly controls: Controls
}

/** The tightest limit of each kind over all layers. An amount that fits under these fits under every layer. */
export interface Ceiling {
  readonly perTxPaise: Paise | null
  readonly escrowPaise: Paise | null
  readonly hourPaise: Paise | null
  /** For rolling 24 hours, as a tier counts a day. */
  readonly dayPaise: Paise | null
  readonly istDayPaise: Paise | null
  readonly istMonthPaise: Paise | null
  readonly perCounterpartyPaise: Paise | null
  readonly recipientsPerHour: number | null
}

export function ceilingOf(layers: readonly Layer[]): Ceiling {
  const tightest = (of: (controls: Controls, layer: PolicyLayer) => Paise | null) =>
    layers.reduce<Paise | null>((least, { layer, controls }) => tighter(least, of(controls, layer)), null)
  return {
    perTxPaise: tightest(controls => controls.perTxPaise),
    escrowPaise: tightest(controls => controls.requireEscrowAbovePaise),
    hourPaise: tightest(controls => controls.hourlyPaise),
    dayPaise: tightest((controls, layer) => (layer === 'tier' ? controls.dailyPaise : null)),
    istDayPaise: tightest((controls, layer) => (layer === 'tier' ? null : controls.dailyPaise)),
    istMonthPaise: tightest(controls => controls.monthlyPaise),
    perCounterpartyPaise: tightest(controls => controls.perCounterpartyDailyPaise),
    recipientsPerHour: layers.reduce<number | null>(
      (least, { controls }) => tighter(least, controls.maxCounterpartiesPerHour),
      null,
    ),
  }
}

/** The lower of two limits, where null is none. */
export function tighter<Limit extends bigint | number>(
  left: Limit | null,
  right: Limit | null,
): Limit | null {
  if (left === null) return right
  return right === null || left < right ? left : right
}

/** Whether the payer's payments must be counted by counterparty. */
export function watchesCounterparties({ perCounterpartyPaise, recipientsPerHour }: Ceiling): boolean {
  return perCounterpartyPaise !== null || recipientsPerHour !== null
}
