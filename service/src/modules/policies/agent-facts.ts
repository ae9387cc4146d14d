import type { AgentStatus } from '@batua/contract'
import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import { type Book, type Need, need, type Source } from '../../ledger/index.ts'
import type { Layer } from './controls.ts'

/** What the rules of money need to know of an agent, true for as long as its account is locked. */
export interface AgentFacts {
  readonly id: Uuid
  readonly status: AgentStatus
  readonly keyHash: Buffer
  readonly layers: readonly Layer[]
}

interface Row {
  id: Uuid
  status: AgentStatus
  key_hash: Buffer
  spend_limit_per_tx_paise: bigint | null
  spend_limit_hourly_paise: bigint | null
  spend_limit_daily_paise: bigint | null
  spend_limit_monthly_paise: bigint | null
  per_counterparty_daily_limit_paise: bigint | null
  max_counterparties_per_hour: number | null
  require_escrow_above_paise: bigint | null
  require_human_approval_above_paise: bigint | null
  allowed_payees: string[] | null
  blocked_payee_agents: Uuid[] | null
}

const DEFAULT_MAX_REMEMBERED = 50_000
const MAX_REMEMBERED_LIST = 32

// The usual lists ("network", nobody blocked) come as null: arrays are dear to parse on the pay path.
const SELECT = `
  select id, status, key_hash, spend_limit_per_tx_paise, spend_limit_hourly_paise, spend_limit_daily_paise,
    spend_limit_monthly_paise, per_counterparty_daily_limit_paise, max_counterparties_per_hour,
    require_escrow_above_paise, require_human_approval_above_paise,
    nullif(allowed_payees, '{network}') as allowed_payees, nullif(blocked_payee_agents, '{}') as blocked_payee_agents
  from agents where id = any($1::uuid[])`

const agents: Source<AgentFacts> = {
  name: 'agents',
  async load(tx: Queryable, ids: readonly string[]) {
    const rows = await tx.query<Row>(SELECT, [arrayLiteral(ids)])
    const facts = new Map<string, AgentFacts>()
    for (const row of rows) facts.set(row.id, factsFromRow(row))
    return facts
  },
}

/** Facts of agents for decisions under their accounts' locks. */
export interface AgentRegister {
  /** What has to be read because this process has not seen the agent's present version. */
  needs(book: Book, ids: readonly Uuid[]): Need[]
  /** The agent as it is now, for whom `needs` was asked; undefined: there is none. */
  facts(book: Book, id: Uuid): AgentFacts | undefined
}

/**
 * Remembers agents by the version that their locked account names. A version is read at most once by each
 * process, and a change is seen by the very next decision, because whoever makes it raises the version.
 */
export function openAgentRegister(maxRemembered = DEFAULT_MAX_REMEMBERED): AgentRegister {
  const known = boundedMap<Uuid, { readonly version: number; readonly facts: AgentFacts }>(maxRemembered)

  function remember(version: number, facts: AgentFacts): void {
    if (known.get(facts.id)?.version === version || listed(facts) > MAX_REMEMBERED_LIST) return
    known.set(facts.id, { version, facts })
  }

  return {
    needs(book, ids) {
      const unknown: Need[] = []
      for (const id of ids) {
        const account = book.account(id)
        const entry = known.get(id)
        if (account === undefined) continue
        // Into the book, which keeps it for this batch even if it has to be forgotten meanwhile.
        if (entry?.version === account.agentVersion) book.setFact(agents, id, entry.facts)
        else unknown.push(need(agents, id))
      }
      return unknown
    },
    facts(book, id) {
      const account = book.account(id)
      const facts = book.fact(agents, id)
      if (account !== undefined && facts !== undefined) remember(account.agentVersion, facts)
      return facts
    },
  }
}

/** How many agents the payee lists name: memory that anyone can ask for, so long lists are read each time. */
function listed({ layers }: AgentFacts): number {
  let count = 0
  for (const { controls } of layers) {
    count += (controls.allowedPayees?.size ?? 0) + (controls.blockedPayees?.size ?? 0)
  }
  return count
}

function factsFromRow(row: Row): AgentFacts {
  return {
    id: row.id,
    status: row.status,
    keyHash: row.key_hash,
    layers: [
      {
        layer: 'agent',
        controls: {
          perTxPaise: row.spend_limit_per_tx_paise as Paise | null,
          hourlyPaise: row.spend_limit_hourly_paise as Paise | null,
          dailyPaise: row.spend_limit_daily_paise as Paise | null,
          monthlyPaise: row.spend_limit_monthly_paise as Paise | null,
          perCounterpartyDailyPaise: row.per_counterparty_daily_limit_paise as Paise | null,
          maxCounterpartiesPerHour: row.max_counterparties_per_hour,
          requireEscrowAbovePaise: row.require_escrow_above_paise as Paise | null,
          requireApprovalAbovePaise: row.require_human_approval_above_paise as Paise | null,
          allowedPayees: row.allowed_payees === null ? null : new Set(row.allowed_payees),
          blockedPayees: row.blocked_payee_agents === null ? null : new Set(row.blocked_payee_agents),
        },
      },
    ],
  }
}
