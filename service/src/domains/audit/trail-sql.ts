import { transferColumns } from '../../ledger/index.ts'
import { ENTRY_COLUMNS } from './read-entry.ts'

/**
 * The statements of a trail. Their parameters: $1 the agent, $2 the first id, $3 the id before which it ends, then
 * the action where there is one, and how many. Each is an index range of one agent, read from its newest end.
 */
const ENTRIES = 'audit_entries e where e.agent_id = $1 and e.id >= $2 and e.id < $3'
const ENTRIES_OF_ACTION = `${ENTRIES} and e.action = $4`
const DEBITS = 'transfers t where t.debit_account = $1 and t.id >= $2 and t.id < $3'
const CREDITS = 'transfers t where t.credit_account = $1 and t.id >= $2 and t.id < $3'
/** The condition of the indexes, one for each side, that hold only these. */
const isNoPayment = (t: string) => `coalesce(${t}.kind <> 'payment', false)`

export const SELECT_ENTRIES = `select ${ENTRY_COLUMNS} from ${ENTRIES} order by e.id desc limit $4`

export const SELECT_ENTRIES_OF_ACTION = `
  select ${ENTRY_COLUMNS} from ${ENTRIES_OF_ACTION} order by e.id desc limit $5`

/** The agent's payments, made and received; no agent pays itself, so each payment is found once. */
export const SELECT_PAYMENTS = `
  select p.* from (
    (select ${transferColumns('t')} from ${DEBITS} and t.kind = 'payment' order by t.id desc limit $4)
    union all
    (select ${transferColumns('t')} from ${CREDITS} and t.kind = 'payment' order by t.id desc limit $4)
  ) p order by p.id desc limit $4`

/**
 * The ids of payments without reading their rows: the index of all transfers does not contain the kind, but transfers
 * of other kinds have an index of their own, in which each id is looked up.
 */
const paymentIds = (side: 'debit_account' | 'credit_account', transfers: string) => `
  select t.id from ${transfers} and (
    select o.id from transfers o where o.${side} = $1 and o.id = t.id and ${isNoPayment('o')} limit 1) is null
  order by t.id desc limit $4`

const PAYMENT_IDS = `(${paymentIds('debit_account', DEBITS)}) union all (${paymentIds('credit_account', CREDITS)})`

const ENTRY_IDS = `select e.id from ${ENTRIES} order by e.id desc limit $4`

export const SELECT_LAST_SKIPPED = `
  select id from ((${ENTRY_IDS}) union all ${PAYMENT_IDS}) s order by id desc offset $4 - 1 limit 1`

export const SELECT_LAST_SKIPPED_PAYMENT = `select id from (${PAYMENT_IDS}) s order by id desc offset $4 - 1 limit 1`

export const SELECT_LAST_SKIPPED_OF_ACTION = `
  select e.id from ${ENTRIES_OF_ACTION} order by e.id desc offset $5 - 1 limit 1`

export const COUNT_ENTRIES = `select count(*) as count from ${ENTRIES}`

export const COUNT_ENTRIES_OF_ACTION = `select count(*) as count from ${ENTRIES_OF_ACTION}`

const countOf = (transfers: string) =>
  `(select count(*) from ${transfers}) - (select count(*) from ${transfers} and ${isNoPayment('t')})`

export const COUNT_PAYMENTS = `select ${countOf(DEBITS)} + ${countOf(CREDITS)} as count`
