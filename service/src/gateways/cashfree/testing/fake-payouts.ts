import { bare, type Fields, type Incoming, ok, type Reply, refused } from './reply.ts'
import { misfit, RUPEES, type Shape } from './shape.ts'

/** Cashfree's Payouts, and the bank's hand in it. */
export interface FakePayouts {
  handle(request: Incoming): Reply | null
  readonly transfers: ReadonlyMap<string, Fields>
  readonly beneficiaries: ReadonlyMap<string, Fields>
  /** How new transfers stand at first. */
  transfersBecome(state: TransferState): void
  setTransfer(transferId: string, state: TransferState): void
  setBeneficiaryStatus(beneficiaryId: string, status: string): void
}

export interface TransferState {
  readonly status: string
  readonly status_code: string
  readonly transfer_utr?: string | null
}

const NEW_BENEFICIARY: Shape = {
  beneficiary_id: /^[A-Za-z0-9_]{1,50}$/,
  beneficiary_name: /^[A-Za-z][A-Za-z ]{0,99}$/,
  beneficiary_instrument_details: {
    bank_account_number: /^[A-Za-z0-9]{4,25}$/,
    bank_ifsc: /^[A-Z]{4}0[A-Z0-9]{6}$/,
  },
}

const NEW_TRANSFER: Shape = {
  transfer_id: /^[A-Za-z0-9_]{1,40}$/,
  transfer_amount: RUPEES,
  transfer_mode: /^(?:banktransfer|imps|neft|rtgs|upi)$/,
  beneficiary_details: { beneficiary_id: /^[A-Za-z0-9_]{1,50}$/ },
  transfer_remarks: /^[A-Za-z0-9 ]{1,70}$/,
}

export function createFakePayouts(): FakePayouts {
  const beneficiaries = new Map<string, Fields>()
  const transfers = new Map<string, Fields>()
  let newTransfer: TransferState = { status: 'RECEIVED', status_code: 'RECEIVED' }
  let lastId = 9_107_199_254_740_993_001n

  function createBeneficiary({ body }: Incoming): Reply {
    const wrong = misfit(NEW_BENEFICIARY, body)
    if (wrong !== null) return refused(400, `${wrong}_misfit`)
    const id = String(body.beneficiary_id)
    if (beneficiaries.has(id)) return refused(409, 'beneficiary_id_already_exists', 'conflict_error')
    const account = body.beneficiary_instrument_details
    if ([...beneficiaries.values()].some(other => isSame(other.beneficiary_instrument_details, account))) {
      return refused(409, 'beneficiary_already_exists', 'conflict_error')
    }
    beneficiaries.set(id, { ...body, beneficiary_status: 'VERIFIED' })
    return ok(beneficiaries.get(id), 201)
  }

  function findBeneficiary({ query }: Incoming): Reply {
    const id = query.get('beneficiary_id')
    const account = {
      bank_account_number: query.get('bank_account_number'),
      bank_ifsc: query.get('bank_ifsc'),
    }
    const found =
      id === null
        ? [...beneficiaries.values()].find(known => isSame(known.beneficiary_instrument_details, account))
        : beneficiaries.get(id)
    return found === undefined ? refused(404, 'beneficiary_not_found') : ok(found)
  }

  function createTransfer({ body }: Incoming): Reply {
    const wrong = misfit(NEW_TRANSFER, body)
    if (wrong !== null) return refused(400, `${wrong}_misfit`)
    const id = String(body.transfer_id)
    if (transfers.has(id)) return refused(409, 'transfer_id_already_exists', 'conflict_error')
    const { beneficiary_id: beneficiary } = body.beneficiary_details as Fields
    if (!beneficiaries.has(String(beneficiary))) return refused(404, 'beneficiary_not_found')
    lastId += 11n
    transfers.set(id, {
      transfer_id: id,
      cf_transfer_id: bare(String(lastId)),
      transfer_amount: bare(String(body.transfer_amount)),
      beneficiary_details: body.beneficiary_details,
      ...newTransfer,
    })
    return ok(transfers.get(id))
  }

  function findTransfer({ query }: Incoming): Reply {
    const found = transfers.get(query.get('transfer_id') ?? '')
    return found === undefined ? refused(404, 'transfer_not_found') : ok(found)
  }

  return {
    transfers,
    beneficiaries,
    handle(request) {
      const line = `${request.method} ${request.path}`
      if (line === 'POST /beneficiary') return createBeneficiary(request)
      if (line === 'GET /beneficiary') return findBeneficiary(request)
      if (line === 'POST /transfers') return createTransfer(request)
      return line === 'GET /transfers' ? findTransfer(request) : null
    },
    transfersBecome(state) {
      newTransfer = state
    },
    setTransfer: (id, state) => void transfers.set(id, { ...transfers.get(id), ...state }),
    setBeneficiaryStatus: (id, status) =>
      void beneficiaries.set(id, { ...beneficiaries.get(id), beneficiary_status: status }),
  }
}

function isSame(left: unknown, right: unknown): boolean {
  const [one, other] = [left as Fields, right as Fields]
  return one.bank_account_number === other.bank_account_number && one.bank_ifsc === other.bank_ifsc
}
