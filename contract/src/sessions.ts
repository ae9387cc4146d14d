import { type TObject, type TSchema, Type } from 'typebox'
import { phoneIn, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { SessionOwner } from './invitations.ts'
import { Owner } from './owners.ts'
import { route } from './route.ts'
import { answer, request } from './schema.ts'

/** How long a one-time code can be used, in seconds (contract section 5, Owner login). */
export const OTP_VALID_S = 300

/** Digits of a one-time code. */
export const OTP_LENGTH = 6

const SESSION_END = '2026-11-20T22:15:30.000Z'
const ADMIN_SESSION_END = '2026-11-20T11:15:30.000Z'

const phoneRequest = { phone: phoneIn('The phone that gets the code.') }

const codeRequest = {
  phone: phoneIn('The phone that got the code.'),
  code: Type.String({
    pattern: `^[0-9]{${OTP_LENGTH}}$`,
    description: 'The code: six digits. It can be used once, for five minutes, and dies with the fifth try.',
    examples: ['042917'],
  }),
}

function otpSent(title: string): TObject<{
  sent: ReturnType<typeof Type.Literal<true>>
  expires_in: ReturnType<typeof Type.Integer>
}> {
  return answer(
    {
      sent: Type.Literal(true, { description: 'Always true, also for a phone that is unknown here.' }),
      expires_in: Type.Integer({
        description: 'Seconds for which the code can be used.',
        examples: [OTP_VALID_S],
      }),
    },
    {
      title,
      description: 'The code is on its way, if the phone is known.',
      examples: [{ sent: true, expires_in: OTP_VALID_S }],
    },
  )
}

function sessionEnded(title: string): TObject<{ logged_out: ReturnType<typeof Type.Literal<true>> }> {
  return answer(
    { logged_out: Type.Literal(true, { description: 'The session is over on every node.' }) },
    { title, description: 'The session is over.', examples: [{ logged_out: true }] },
  )
}

const brake =
  'A code is good only in the browser that has logged in before, or at the network that asked for it (of IPv6 a /48), and a new one for the same place makes the one before useless. A second within 30 seconds is `rate_limit_exceeded` with `Retry-After`, and so is an eleventh within an hour from one place without a login between, for unknown phones too. When strangers have had 20 codes within an hour sent to a phone, further ones go out three minutes apart; between them nothing is sent, the last code on the phone is good for whoever asks, and `expires_in` says for how long.'

const twoCodes =
  'While many wrong codes are tried by strangers, the first right code from a place where the phone never logged in is `authentication_error` with `details.second_code_required`: ask for one more from there. The answer also sets a cookie by which the browser is known at the next login; it opens nothing.'

const sameSite =
  'A page of another site is `authorization_error`; without `Origin` and `Sec-Fetch-Site`, as from a program, no proof is needed.'

export const sendOtp = route({
  operationId: 'sendOtp',
  method: 'POST',
  path: '/v1/auth/send-otp',
  tag: 'Login',
  summary: 'Send an owner a one-time code',
  description: `Sends a code to the phone of an owner. The answer is the same for a phone that no owner has. ${brake} ${sameSite}`,
  who: [],
  body: request(phoneRequest, { title: 'SendOtpRequest', examples: [{ phone: '9876543210' }] }),
  status: 200,
  response: otpSent('OtpSent'),
  errors: ['authorization_error'],
})

export const verifyOtp = route({
  operationId: 'verifyOtp',
  method: 'POST',
  path: '/v1/auth/verify-otp',
  tag: 'Login',
  summary: 'Log an owner in',
  description: `Opens a session of 12 hours and sets the cookie \`service_session\`. It covers the owners of this phone that its holder accepted, on whichever platform; the first login of a phone accepts its owner when there is exactly one, and every other one is an invitation (\`GET /v1/invitations\`). A wrong, used or old code, or one that another place asked for, is \`authentication_error\`. ${twoCodes} A session cookie that comes along is ignored, and the session is always a new one. ${sameSite}`,
  who: [],
  body: request(codeRequest, {
    title: 'VerifyOtpRequest',
    examples: [{ phone: '9876543210', code: '042917' }],
  }),
  status: 200,
  response: answer(
    {
      owner_ids: Type.Array(idSchema('own'), { description: 'The owners that the session covers.' }),
      owners: Type.Array(SessionOwner, { description: 'The same owners, each with its platform.' }),
      invitations: Type.Integer({
        description: 'How many invitations wait for an answer.',
        examples: [0],
      }),
      expires_at: timestamp('When the session ends.'),
    },
    {
      title: 'OwnerSession',
      description: 'The session that the cookie opens.',
      examples: [
        {
          owner_ids: [exampleId('own')],
          owners: [
            { owner_id: exampleId('own'), platform_id: exampleId('plt'), platform_name: 'Example Agents' },
          ],
          invitations: 0,
          expires_at: SESSION_END,
        },
      ],
    },
  ),
  responseDescription: 'Logged in; the session is in the header `Set-Cookie`.',
  errors: ['authentication_error', 'authorization_error'],
})

export const logOut = route({
  operationId: 'logOut',
  method: 'POST',
  path: '/v1/auth/logout',
  tag: 'Login',
  summary: 'Log an owner out',
  description: 'Ends the session of the cookie `service_session` at once, everywhere, and clears the cookie.',
  who: ['owner'],
  status: 200,
  response: sessionEnded('OwnerLoggedOut'),
  errors: [],
})

export const sendAdminOtp = route({
  operationId: 'sendAdminOtp',
  method: 'POST',
  path: '/v1/admin/auth/send-otp',
  tag: 'Login',
  summary: 'Send an administrator a one-time code',
  description: `Sends a code to the phone of an administrator (\`ADMIN_PHONES\`). The answer is the same for any other phone. ${brake} ${sameSite}`,
  who: [],
  body: request(phoneRequest, { title: 'SendAdminOtpRequest', examples: [{ phone: '9999999999' }] }),
  status: 200,
  response: otpSent('AdminOtpSent'),
  errors: ['authorization_error'],
})

export const verifyAdminOtp = route({
  operationId: 'verifyAdminOtp',
  method: 'POST',
  path: '/v1/admin/auth/verify-otp',
  tag: 'Login',
  summary: 'Log an administrator in',
  description: `Opens a session of one hour and sets the cookie \`service_admin_session\`. It ends earlier when the phone leaves \`ADMIN_PHONES\`. A wrong, used or old code, or one that another place asked for, is \`authentication_error\`. Where the service asks for a second factor, \`totp\` is needed too, each code once; missing or wrong it is \`authentication_error\` with \`details.totp_required\`, as is a wrong code: send \`totp\` with the same code, which stays good until its fifth try. ${twoCodes} Where \`totp\` is needed, that one needs the next \`totp\`. ${sameSite}`,
  who: [],
  body: request(
    {
      ...codeRequest,
      totp: Type.Optional(
        Type.String({
          pattern: '^[0-9]{6}$',
          description: 'The code of the authenticator app, where the service asks for a second factor.',
          examples: ['287082'],
        }),
      ),
    },
    {
      title: 'VerifyAdminOtpRequest',
      examples: [
        { phone: '9999999999', code: '042917' },
        { phone: '9999999999', code: '042917', totp: '287082' },
      ],
    },
  ),
  status: 200,
  response: answer(
    { expires_at: timestamp('When the session ends.') },
    {
      title: 'AdminSession',
      description: 'The session that the cookie opens.',
      examples: [{ expires_at: ADMIN_SESSION_END }],
    },
  ),
  responseDescription: 'Logged in; the session is in the header `Set-Cookie`.',
  errors: ['authentication_error', 'authorization_error'],
})

export const logOutAdmin = route({
  operationId: 'logOutAdmin',
  method: 'POST',
  path: '/v1/admin/auth/logout',
  tag: 'Login',
  summary: 'Log an administrator out',
  description:
    'Ends the session of the cookie `service_admin_session` at once, everywhere, and clears the cookie.',
  who: ['admin'],
  status: 200,
  response: sessionEnded('AdminLoggedOut'),
  errors: [],
})

const ownerSchema: TSchema = Owner
const { examples: ownerExamples = [] }: { examples?: readonly unknown[] } = { ...ownerSchema }

export const getSession = route({
  operationId: 'getSession',
  method: 'GET',
  path: '/api/web/me',
  tag: 'Owner session',
  summary: 'Who is logged in',
  description: 'The person of this session: one owner record for each platform that the person accepted.',
  who: ['owner'],
  status: 200,
  response: answer(
    {
      phone: textOut('The phone of the login, ten digits.', '9876543210'),
      owners: Type.Array(Owner, { description: 'The owners that the session covers, oldest first.' }),
      expires_at: timestamp('When the session ends.'),
    },
    {
      title: 'Me',
      description: 'The person of this session.',
      examples: [{ phone: '9876543210', owners: ownerExamples, expires_at: SESSION_END }],
    },
  ),
  errors: [],
})
