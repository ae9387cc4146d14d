import type { AgentStatus, KycStatus } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import { type MacRow, macColumns, requireGenuine } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { reader, readerById, type Transfer } from '../../../ledger/index.ts'
import { AGENT_ROWS } from '../../limits/index.ts'
import { accountInForce, OWNER_ROWS } from '../../parties/index.ts'
import type { BankAccount, Payout } from './payout.ts'

/** The owner of the money: the agent as it is while its account is locked, and the owner's verified bank account. */
export interface Holder {
  readonly status: AgentStatus
  /** For a deactivated agent: the state in which its money was blocked when it ended, because it stays blocked. */
  readonly blockedAs: 'frozen' | 'quarantined' | null
  /** null: there is no verified account. */
  readonly account: BankAccount | null
}

type OwnerMac = { [Column in keyof MacRow as `o_${Column}`]: MacRow[Column] }

interface HolderRow extends MacRow, OwnerMac {
  readonly agentId: Uuid
  readonly status: AgentStatus
  readonly blockedAs: Holder['blockedAs']
  readonly ownerId: Uuid
  readonly ownerStatus: 'active' | 'frozen'
  readonly kycStatus: KycStatus
  readonly bankAccount: Buffer | null
  readonly bankAccountLast4: string | null
  readonly bankIfsc: string | null
  readonly pendingBankAccount: Buffer | null
  readonly pendingBankAccountLast4: string | null
  readonly pendingBankIfsc: string | null
  readonly pendingBankEffectiveAt: Date | null
}

/** Holders by their agents' ids. They are read each time, because for most wallets that is once a day. */
export const holders = readerById<Holder>('payout holders', async (tx, agentIds, nowMs, vault) => {
  const now = new Date(nowMs)
  const rows = await tx.query<HolderRow>(
    `select a.id as "agentId", a.status, a.held_as as "blockedAs", o.id as "ownerId", o.bank_account as "bankAccount",
         o.bank_account_last4 as "bankAccountLast4", o.bank_ifsc as "bankIfsc", o.status as "ownerStatus",
         o.kyc_status as "kycStatus", o.pending_bank_account as "pendingBankAccount",
         o.pending_bank_account_last4 as "pendingBankAccountLast4", o.pending_bank_ifsc as "pendingBankIfsc",
         o.pending_bank_effective_at as "pendingBankEffectiveAt",
         ${macColumns(AGENT_ROWS, 'a')}, ${macColumns(OWNER_ROWS, 'o', 'o_')}
       from agents a join owners o on o.id = a.owner_id
       where a.id = any($1::uuid[])`,
    [arrayLiteral(agentIds)],
  )
  for (const row of rows) {
    requireGenuine(vault, AGENT_ROWS, row.agentId, row)
    requireGenuine(vault, OWNER_ROWS, row.ownerId, {
      macText: row.o_macText,
      mac: row.o_mac,
      macVersion: row.o_macVersion,
      auditedVersion: row.o_auditedVersion,
    })
  }
  return rows.map(row => [
    row.agentId,
    { status: row.status, blockedAs: row.blockedAs, account: accountOf(row, now) },
  ])
})

function accountOf({ ownerStatus, ...row }: HolderRow, now: Date): BankAccount | null {
  if (row.kycStatus !== 'verified') return null
  const { bankAccount, bankAccountLast4, bankIfsc } = accountInForce({ ...row, status: ownerStatus }, now)
  if (bankAccount === null || bankAccountLast4 === null || bankIfsc === null) return null
  return { ownerId: row.ownerId, bankAccount, bankAccountLast4, bankIfsc }
}

/** The outcome of a request that is found by its key. */
export type EarlierRequest = Pick<
  Payout,
  'id' | 'agentId' | 'amountPaise' | 'bankAccountLast4' | 'createdAt' | 'status'
> &
  Pick<Transfer, 'debitBalancePaise'>

/** The credential that requested a payout, and its Idempotency-Key. */
export interface CredentialKey {
  readonly agentId: Uuid
  readonly requestKey: string
}

/** Payouts by credential and Idempotency-Key. */
export const earlierRequests = reader<CredentialKey, EarlierRequest>({
  name: 'payout requests',
  key: ['agentId', 'requestKey'],
  async load(tx, keys) {
    const rows = await tx.query<EarlierRequest & { requestKey: string }>(
      `select p.id, p.agent_id as "agentId", p.amount_paise as "amountPaise", p.created_at as "createdAt", p.status,
         p.bank_account_last4 as "bankAccountLast4", p.request_key as "requestKey",
         t.debit_balance_paise as "debitBalancePaise"
       from unnest($1::uuid[], $2::text[]) k(agent_id, request_key)
       join payouts p on p.agent_id = k.agent_id and p.request_key = k.request_key
       join transfers t on t.debit_account = p.agent_id and t.id = p.id`,
      [
        arrayLiteral(keys.map(({ agentId }) => agentId)),
        textArrayLiteral(keys.map(({ requestKey }) => requestKey)),
      ],
    )
    return rows.map(({ requestKey, ...row }) => [{ agentId: row.agentId, requestKey }, row])
  },
})
