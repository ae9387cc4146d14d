import type { KycStatus, LinkStatus, Tier } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { type CoveredTable, lockGenuine, type RowVersion, writeMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { pagedRows } from '../../../operations/due-work.ts'

/** The MAC covers an owner's phone, status, tier and bank accounts. */
export const OWNER_ROWS: CoveredTable = {
  table: 'owners',
  id: 'id',
  columns: [
    'platform_id',
    'name',
    'phone',
    'phone_index',
    'pan',
    'pan_index',
    'kyc_status',
    'tier',
    'status',
    'link_status',
    'link_decided_at',
    'bank_account',
    'bank_account_last4',
    'bank_ifsc',
    'pending_bank_account',
    'pending_bank_account_last4',
    'pending_bank_ifsc',
    'pending_bank_effective_at',
  ],
  uncovered: {
    email: 'is only shown, and encrypted for its row',
    name_at_bank: 'was compared when the bank responded',
    name_match_score: 'was compared when the bank responded',
    pending_name_at_bank: 'was compared when the bank responded',
    pending_name_match_score: 'was compared when the bank responded',
    kyc_reason: 'is only shown',
    created_at: 'is only shown',
  },
}

/** An owner as it is stored: personal data is encrypted (see personal-data.ts). */
export interface Owner {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly name: string
  readonly phone: Buffer
  readonly email: Buffer | null
  readonly pan: Buffer
  readonly kycStatus: KycStatus
  readonly tier: Tier
  readonly status: 'active' | 'frozen'
  /** Whether the holder of the phone accepted this owner. */
  readonly linkStatus: LinkStatus
  /** When the holder last decided; null: never. */
  readonly linkDecidedAt: Date | null
  readonly bankAccount: Buffer | null
  readonly bankAccountLast4: string | null
  readonly bankIfsc: string | null
  readonly nameAtBank: string | null
  readonly nameMatchScore: number | null
  readonly kycReason: string | null
  /** The verified account that takes effect at `pendingBankEffectiveAt`; null: none is pending. */
  readonly pendingBankAccount: Buffer | null
  readonly pendingBankAccountLast4: string | null
  readonly pendingBankIfsc: string | null
  readonly pendingNameAtBank: string | null
  readonly pendingNameMatchScore: number | null
  readonly pendingBankEffectiveAt: Date | null
  readonly createdAt: Date
}

export const OWNER_COLUMNS = `
  id, platform_id as "platformId", name, phone, email, pan, kyc_status as "kycStatus", tier, status,
  link_status as "linkStatus", link_decided_at as "linkDecidedAt",
  bank_account as "bankAccount", bank_account_last4 as "bankAccountLast4", bank_ifsc as "bankIfsc",
  name_at_bank as "nameAtBank", name_match_score as "nameMatchScore", kyc_reason as "kycReason",
  pending_bank_account as "pendingBankAccount", pending_bank_account_last4 as "pendingBankAccountLast4",
  pending_bank_ifsc as "pendingBankIfsc", pending_name_at_bank as "pendingNameAtBank",
  pending_name_match_score as "pendingNameMatchScore", pending_bank_effective_at as "pendingBankEffectiveAt",
  created_at as "createdAt"`

export interface NewOwner
  extends Pick<Owner, 'id' | 'platformId' | 'name' | 'phone' | 'email' | 'pan' | 'createdAt'> {
  readonly phoneIndex: Buffer
  readonly panIndex: Buffer
}

/** The new owner; null if the platform has one with this phone or PAN. The unique indexes decide races. */
export async function insertOwner(
  db: Queryable,
  vault: Vault,
  owner: NewOwner,
): Promise<{ readonly owner: Owner; readonly versions: readonly RowVersion[] } | null> {
  const [inserted] = await db.query<Owner>(
    `insert into owners (id, platform_id, name, phone, phone_index, email, pan, pan_index, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning ${OWNER_COLUMNS}`,
    [
      owner.id,
      owner.platformId,
      owner.name,
      owner.phone,
      owner.phoneIndex,
      owner.email,
      owner.pan,
      owner.panIndex,
      owner.createdAt,
    ],
  )
  if (inserted === undefined) return null
  return { owner: inserted, versions: await writeMacs(db, vault, OWNER_ROWS, [owner.id]) }
}

/** The owner of a platform with this PAN, or else with this phone. */
export async function selectSameOwner(
  db: Queryable,
  { platformId, panIndex, phoneIndex }: Pick<NewOwner, 'platformId' | 'panIndex' | 'phoneIndex'>,
): Promise<Uuid | null> {
  const [row] = await db.query<{ id: Uuid }>(
    `select id from owners where platform_id = $1 and (pan_index = $2 or phone_index = $3)
     order by (pan_index = $2) desc limit 1`,
    [platformId, panIndex, phoneIndex],
  )
  return row?.id ?? null
}

export async function selectOwner(db: Queryable, id: Uuid): Promise<Owner | null> {
  const [owner] = await db.query<Owner>(`select ${OWNER_COLUMNS} from owners where id = $1`, [id])
  return owner ?? null
}

/** The owner, proven and locked until the commit. Lock order: the owner before any account. */
export async function lockOwner(tx: Queryable, vault: Vault, id: Uuid): Promise<Owner | null> {
  await lockGenuine(tx, vault, OWNER_ROWS, [id])
  return selectOwner(tx, id)
}

/** Owners by their ids, oldest first. */
export async function selectOwnersByIds(db: Queryable, ids: readonly Uuid[]): Promise<Owner[]> {
  return db.query<Owner>(`select ${OWNER_COLUMNS} from owners where id = any($1::uuid[]) order by id`, [ids])
}

/** Sets an owner's status. The caller holds the lock of its row and locks its agents' accounts before the commit. */
export async function updateOwnerStatus(
  tx: Queryable,
  vault: Vault,
  id: Uuid,
  status: Owner['status'],
): Promise<RowVersion[]> {
  await tx.query(`update owners set status = $2 where id = $1`, [id, status])
  return writeMacs(tx, vault, OWNER_ROWS, [id])
}

/** Sets the tier that new agents of the owner get. The caller holds the lock of its row. */
export async function updateOwnerTier(
  tx: Queryable,
  vault: Vault,
  id: Uuid,
  tier: Tier,
): Promise<RowVersion[]> {
  await tx.query(`update owners set tier = $2 where id = $1`, [id, tier])
  return writeMacs(tx, vault, OWNER_ROWS, [id])
}

/** The columns of an owner that a bank's result can change. */
export type KycState = Pick<
  Owner,
  | 'kycStatus'
  | 'tier'
  | 'bankAccount'
  | 'bankAccountLast4'
  | 'bankIfsc'
  | 'nameAtBank'
  | 'nameMatchScore'
  | 'kycReason'
  | 'pendingBankAccount'
  | 'pendingBankAccountLast4'
  | 'pendingBankIfsc'
  | 'pendingNameAtBank'
  | 'pendingNameMatchScore'
  | 'pendingBankEffectiveAt'
>

export async function updateKyc(
  tx: Queryable,
  vault: Vault,
  id: Uuid,
  state: KycState,
): Promise<RowVersion[]> {
  await tx.query(
    `update owners set kyc_status = $2, tier = $3, bank_account = $4, bank_account_last4 = $5, bank_ifsc = $6,
       name_at_bank = $7, name_match_score = $8, kyc_reason = $9, pending_bank_account = $10,
       pending_bank_account_last4 = $11, pending_bank_ifsc = $12, pending_name_at_bank = $13,
       pending_name_match_score = $14, pending_bank_effective_at = $15
     where id = $1`,
    [
      id,
      state.kycStatus,
      state.tier,
      state.bankAccount,
      state.bankAccountLast4,
      state.bankIfsc,
      state.nameAtBank,
      state.nameMatchScore,
      state.kycReason,
      state.pendingBankAccount,
      state.pendingBankAccountLast4,
      state.pendingBankIfsc,
      state.pendingNameAtBank,
      state.pendingNameMatchScore,
      state.pendingBankEffectiveAt,
    ],
  )
  return writeMacs(tx, vault, OWNER_ROWS, [id])
}

/** Owners with a due bank account, without frozen owners. */
export const dueAccounts = pagedRows<{ readonly id: Uuid }>(
  100,
  `select id, pending_bank_effective_at::text as "dueAt" from owners
   where pending_bank_effective_at <= $1 and status = 'active' and (pending_bank_effective_at, id) > ($2, $3)
   order by pending_bank_effective_at, id limit $4`,
)
