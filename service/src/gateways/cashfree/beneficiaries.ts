import { type ExactJson, textAt } from '../exact-json.ts'
import { type GatewayResult, rejected, value } from '../gateway-result.ts'
import type { Beneficiary } from '../payout-provider.ts'
import { type CallCashfree, isTaken } from './http.ts'

/**
 * Registers an account and returns its beneficiary id. Cashfree registers an account once: one that has another id, for
 * example of another owner with the same account, is paid under that id.
 */
export async function ensureBeneficiary(
  ask: CallCashfree,
  beneficiary: Beneficiary,
): Promise<GatewayResult<{ readonly beneficiaryId: string }>> {
  const made = await make(ask, beneficiary)
  if (made.kind === 'value') return usable(made.value, beneficiary.beneficiaryId)
  // Either the id or the account is taken, perhaps both by this beneficiary.
  if (made.kind !== 'rejected' || !isTaken(made.code)) return made
  const known = await find(ask, beneficiary)
  if (known.kind !== 'value') return known
  return usable(known.value, textAt(known.value, 'beneficiary_id') ?? beneficiary.beneficiaryId)
}

function make(ask: CallCashfree, beneficiary: Beneficiary): Promise<GatewayResult<ExactJson>> {
  return ask({
    method: 'POST',
    path: '/beneficiary',
    idempotencyKey: beneficiary.beneficiaryId,
    body: {
      beneficiary_id: beneficiary.beneficiaryId,
      beneficiary_name: lettersAndSpaces(beneficiary.name),
      beneficiary_instrument_details: {
        bank_account_number: beneficiary.bankAccount,
        bank_ifsc: beneficiary.ifsc,
      },
    },
  })
}

const LONGEST_NAME = 100

/** `Ömer A. D'Souza` becomes `Omer A D Souza`: Cashfree accepts no other characters, and the bank uses the number. */
function lettersAndSpaces(name: string): string {
  const plain = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
  return plain === '' ? 'Account holder' : plain.slice(0, LONGEST_NAME).trim()
}

/** Looks the beneficiary up by its id, then by its account. One with our id and another account is not paid. */
async function find(ask: CallCashfree, beneficiary: Beneficiary): Promise<GatewayResult<ExactJson>> {
  const { beneficiaryId, bankAccount, ifsc } = beneficiary
  const byId = await look(ask, { beneficiary_id: beneficiaryId })
  const found =
    byId.kind === 'rejected' && byId.code === 'beneficiary_not_found'
      ? await look(ask, { bank_account_number: bankAccount, bank_ifsc: ifsc })
      : byId
  if (found.kind !== 'value') return found
  if (isSameAccount(found.value, beneficiary)) return found
  return rejected('beneficiary_id_already_exists', 'There is a beneficiary of this id with another account')
}

function look(ask: CallCashfree, query: Readonly<Record<string, string>>): Promise<GatewayResult<ExactJson>> {
  return ask({ method: 'GET', path: `/beneficiary?${new URLSearchParams(query).toString()}` })
}

function isSameAccount(found: ExactJson, { bankAccount, ifsc }: Beneficiary): boolean {
  const details = 'beneficiary_instrument_details'
  return (
    textAt(found, details, 'bank_account_number') === bankAccount &&
    textAt(found, details, 'bank_ifsc')?.toUpperCase() === ifsc.toUpperCase()
  )
}

/** A beneficiary that Cashfree has invalidated cannot be paid. One without a status counts as valid. */
function usable(found: ExactJson, beneficiaryId: string): GatewayResult<{ readonly beneficiaryId: string }> {
  const status = textAt(found, 'beneficiary_status')
  if (status === 'INVALID' || status === 'FAILED' || status === 'CANCELLED' || status === 'DELETED') {
    return rejected('beneficiary_invalid', `Cashfree reports this beneficiary as ${status.toLowerCase()}`)
  }
  return value({ beneficiaryId })
}
