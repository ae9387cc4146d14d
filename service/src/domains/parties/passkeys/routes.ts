import { routes } from '@batua/contract'
import { sessionCookie } from '../../../http/admission/session-cookies.ts'
import type { Serve } from '../../../http/serve.ts'
import { assert } from '../../../kernel/assert.ts'
import { openedFrom } from '../sessions/opened-from.ts'
import { SESSION_MS } from '../sessions/phone-login.ts'
import { ownerSessionRecord } from '../sessions/routes.ts'
import {
  type ChangeContext,
  enrolPasskey,
  keepPasskey,
  listPasskeys,
  passkeyRecords,
  prepareEnrolment,
  removePasskey,
} from './change-passkeys.ts'
import { logInByPasskey, prepareLogIn } from './log-in-by-passkey.ts'
import type { WithStepUp } from './step-up.ts'
import type { Passkey } from './store.ts'

export interface PasskeyRoutes extends ChangeContext, WithStepUp {
  /** Whether the public address is https; session cookies are then Secure. */
  readonly secure: boolean
}

export function servePasskeys(serve: Serve, context: PasskeyRoutes): void {
  const { stepUp } = context
  const recordOf = async (passkey: Passkey) => {
    const [record] = await passkeyRecords(context, [passkey])
    assert(record !== undefined, 'there is one record for one passkey')
    return record
  }

  serve(routes.getPasskeyOptions, ({ caller, now }) => prepareEnrolment(context, caller, now))

  serve(routes.createPasskey, async call => {
    const confirmation = await stepUp.confirmationOf(call)
    return recordOf(await enrolPasskey(context, call.body, { ...call, confirmation }))
  })

  serve(routes.listPasskeys, async ({ caller, query, now }) => {
    const passkeys = await listPasskeys(context, caller, now, query)
    return { passkeys: await passkeyRecords(context, passkeys) }
  })

  serve(routes.deletePasskey, async call => {
    const confirmation = await stepUp.confirmationOf(call)
    const removed = await removePasskey(context, call.params.passkey_id, { ...call, confirmation })
    return recordOf(removed)
  })

  serve(routes.keepPasskey, async ({ caller, params, now }) =>
    recordOf(await keepPasskey(context, params.passkey_id, { caller, now })),
  )

  serve(routes.requestStepUp, ({ caller, body: { action, body }, now }) =>
    stepUp.challengeFor({ caller, action, body, now }),
  )

  serveLogIn(serve, context)
}

const LOGIN = { opensSession: true }

function serveLogIn(serve: Serve, context: PasskeyRoutes): void {
  serve(routes.getPasskeyLoginOptions, async ({ now }) => prepareLogIn(context, now), LOGIN)

  serve(
    routes.logInByPasskey,
    async ({ body, clientAddress, headers, now }, response) => {
      const from = openedFrom(clientAddress, headers['user-agent'])
      const session = await logInByPasskey(context, body.response, { headers, from, now })
      response.header(
        'set-cookie',
        sessionCookie('owner', session.token, SESSION_MS.owner / 1_000, context.secure),
      )
      return ownerSessionRecord(context, session)
    },
    LOGIN,
  )
}
