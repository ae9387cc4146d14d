import { type CheckedTable, checkedEngineTable, checkedTable } from '../../../db/row-mac.ts'
import { fundings, payouts, REFUND_ROWS } from '../../banking/index.ts'
import { AGENT_ROWS, connectedApps, OWNER_POLICY_ROWS, TIER_ROWS, VERSION_ROWS } from '../../limits/index.ts'
import {
  KYC_CHECK_ROWS,
  ORGANIZATION_ROWS,
  OWNER_ROWS,
  PASSKEY_ROWS,
  PLATFORM_ROWS,
  SESSION_ROWS,
} from '../../parties/index.ts'
import { allowances, approvals, authorizations, escrows } from '../../payments/index.ts'

/** All tables whose rows have MACs, in the order in which the ledger check goes through them. */
export const CHECKED_TABLES: readonly CheckedTable[] = [
  ...[TIER_ROWS, PLATFORM_ROWS, OWNER_ROWS, KYC_CHECK_ROWS, OWNER_POLICY_ROWS, AGENT_ROWS].map(checkedTable),
  VERSION_ROWS,
  ...[ORGANIZATION_ROWS, SESSION_ROWS, PASSKEY_ROWS].map(checkedTable),
  ...[
    escrows.rows,
    authorizations.rows,
    approvals.rows,
    allowances.rows,
    connectedApps.rows,
    fundings.rows,
    REFUND_ROWS,
    payouts.rows,
  ].map(checkedEngineTable),
]
