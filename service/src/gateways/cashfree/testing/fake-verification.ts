import { bare, type Fields, type Incoming, ok, type Reply, refused } from './reply.ts'
import { misfit, type Shape } from './shape.ts'

/** Cashfree's verification of bank accounts, and what the banks say. */
export interface FakeVerification {
  handle(request: Incoming): Reply | null
  /** What is said of an account from now on. Any other is valid and of the name that is asked for. */
  say(bankAccount: string, said: Fields): void
  /** A refusal instead. */
  refuse(bankAccount: string, status: number, code: string): void
}

const QUESTION: Shape = {
  bank_account: /^[A-Za-z0-9]{4,40}$/,
  ifsc: /^[A-Z]{4}0[A-Z0-9]{6}$/,
  name: /^.{1,100}$/,
  phone: /^\d{10}$/,
}

export function createFakeVerification(): FakeVerification {
  const said = new Map<string, Fields>()
  const refusals = new Map<string, Reply>()
  const accounts = new Map<string, string>()
  let lastReference = 9_207_199_254_740_993_003n

  function verify({ body }: Incoming): Reply {
    const wrong = misfit(QUESTION, body)
    if (wrong !== null) return refused(400, `${wrong}_misfit`)
    const account = String(body.bank_account)
    lastReference += 2n
    accounts.set(String(lastReference), account)
    return refusals.get(account) ?? ok(resultFields(account, String(lastReference), String(body.name)))
  }

  function resultFields(account: string, reference: string, name: string): Fields {
    const good = {
      name_at_bank: name.toUpperCase(),
      name_match_score: '100.00',
      name_match_result: 'DIRECT_MATCH',
      account_status: 'VALID',
      account_status_code: 'ACCOUNT_IS_VALID',
    }
    return { reference_id: bare(reference), ...(said.get(account) ?? good) }
  }

  function status({ query }: Incoming): Reply {
    const reference = query.get('reference_id') ?? ''
    const account = accounts.get(reference)
    return account === undefined
      ? refused(404, 'reference_id_not_found')
      : ok(resultFields(account, reference, ''))
  }

  return {
    handle(request) {
      const line = `${request.method} ${request.path}`
      if (line === 'POST /bank-account/sync') return verify(request)
      return line === 'GET /bank-account' ? status(request) : null
    },
    say: (account, fields) => void said.set(account, fields),
    refuse: (account, status, code) => void refusals.set(account, refused(status, code)),
  }
}
