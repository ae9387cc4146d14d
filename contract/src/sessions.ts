import { type TObject, type TSchema, Type } from 'typebox'
import { phoneIn, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { SessionOwner } from './invitations.ts'
import { Owner } from './owners.ts'
import { route } from './route.ts'
import { request, response } from './schema.ts'

/** How long a one-time code can be used, in seconds (contract section 5, Owner login). */
export const OTP_VALID_S = 300

/** Digits of a one-time code. */
export const OTP_LENGTH = 6

const SESSION_END = '2026-11-20T22:15:30.000Z'
const ADMIN_SESSION_END = '2026-11-20T11:15:30.000Z'

const phoneRequest = { phone: phoneIn('The phone that receives the code.') }

const codeRequest = {
  phone: phoneIn('The phone that received the code.'),
  code: Type.String({
    pattern: `^[0-9]{${OTP_LENGTH}}$`,
    description:
      'The code: six digits. It can be used once, within five minutes, and is invalid after the fifth try.',
    examples: ['042917'],
  }),
}

function otpSent(title: string): TObject<{
  sent: ReturnType<typeof Type.Literal<true>>
  expires_in: ReturnType<typeof Type.Integer>
}> {
  return response(
    {
      sent: Type.Literal(true, { description: 'Always true, also for an unknown phone.' }),
      expires_in: Type.Integer({
        description: 'Seconds for which the code can be used.',
        examples: [OTP_VALID_S],
      }),
    },
    {
      title,
      description: 'The code was sent, if the phone is known.',
      examples: [{ sent: true, expires_in: OTP_VALID_S }],
    },
  )
}

function sessionEnded(title: string): TObject<{ logged_out: ReturnType<typeof Type.Literal<true>> }> {
  return response(
    { logged_out: Type.Literal(true, { description: 'The session has ended on every node.' }) },
    { title, description: 'The session has ended.', examples: [{ logged_out: true }] },
  )
}

const brake =
  'Every response, including a refusal, sets a cookie that distinguishes this browser from others on its network; it grants no access. A code is valid only in the browser that requested it or, without the cookie, on the network that requested it (for IPv6 its /48). A new code replaces the previous one of the same place. A second request within 30 seconds is `rate_limit_exceeded` with `Retry-After`, for unknown phones too; after ten codes within an hour without a login, a second request within three minutes is. After 20 codes within an hour to one phone on request of unknown places, further codes are sent three minutes apart; in between nothing is sent, the last code on the phone is valid for every unknown place, and `expires_in` says for how long.'

const moreCodes =
  'While many wrong codes are tried from unknown places, the first right code from a place where the phone has never logged in is `authentication_error` with `details.second_code_required`: request another code there. While tens of thousands are tried, so is the second code. The response also sets a cookie that identifies the browser at the next login; it grants no access.'

const sameSite =
  'A request from a page of another site is `authorization_error`. A request without `Origin` and `Sec-Fetch-Site`, as from a program, is accepted.'

export const sendOtp = route({
  operationId: 'sendOtp',
  method: 'POST',
  path: '/v1/auth/send-otp',
  tag: 'Login',
  summary: 'Send an owner a one-time code',
  description: `Sends a code to the phone of an owner. The response is the same for a phone without an owner. ${brake} ${sameSite}`,
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
  description: `Opens a session of 12 hours and sets the cookie \`service_session\`. It covers the owners of this phone that its holder accepted, on every platform. The first login of a phone accepts its owner if there is exactly one; any other owner is an invitation (\`GET /v1/invitations\`). A wrong, used or expired code, or one that another place requested, is \`authentication_error\`. ${moreCodes} A session cookie in the request is ignored; the session is always new. ${sameSite}`,
  who: [],
  body: request(codeRequest, {
    title: 'VerifyOtpRequest',
    examples: [{ phone: '9876543210', code: '042917' }],
  }),
  status: 200,
  response: response(
    {
      owner_ids: Type.Array(idSchema('own'), { description: 'The owners that the session covers.' }),
      owners: Type.Array(SessionOwner, { description: 'The same owners, each with its platform.' }),
      invitations: Type.Integer({
        description: 'The number of invitations that wait for a decision.',
        examples: [0],
      }),
      expires_at: timestamp('When the session ends.'),
    },
    {
      title: 'OwnerSession',
      description: 'The new session.',
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
  description:
    'Ends the session of the cookie `service_session` at once, on every node, and deletes the cookie.',
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
  description: `Sends a code to the phone of an administrator (\`ADMIN_PHONES\`). The response is the same for any other phone. ${brake} ${sameSite}`,
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
  description: `Opens a session of one hour and sets the cookie \`service_admin_session\`. It ends earlier if the phone is removed from \`ADMIN_PHONES\`. A wrong, used or expired code, or one that another place requested, is \`authentication_error\`. If the service requires a second factor, \`totp\` is required too, and each of its codes is valid once. A missing or wrong \`totp\`, like a wrong code, is \`authentication_error\` with \`details.totp_required\`: send \`totp\` with the same code, which stays valid until its fifth try. ${moreCodes} If \`totp\` is required, the second code needs the next \`totp\`. ${sameSite}`,
  who: [],
  body: request(
    {
      ...codeRequest,
      totp: Type.Optional(
        Type.String({
          pattern: '^[0-9]{6}$',
          description: 'The code of the authenticator app, if the service requires a second factor.',
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
  response: response(
    { expires_at: timestamp('When the session ends.') },
    {
      title: 'AdminSession',
      description: 'The new session.',
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
    'Ends the session of the cookie `service_admin_session` at once, on every node, and deletes the cookie.',
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
  summary: 'Get the logged-in person',
  description: 'The person of this session: one owner record for each platform that the person accepted.',
  who: ['owner'],
  status: 200,
  response: response(
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

export const logInPlatform = route({
  operationId: 'logInPlatform',
  method: 'POST',
  path: '/v1/auth/platform',
  tag: 'Login',
  summary: 'Log a platform in',
  description: `Opens a session of 12 hours and sets the cookie \`service_platform_session\`, so that a page need not keep the secret. The session may call whatever the platform may. It ends when the platform’s secret is rotated or the platform is deleted. A wrong id or secret is \`authentication_error\`. ${sameSite}`,
  who: [],
  body: request(
    {
      platform_id: idSchema('plt'),
      platform_secret: Type.String({
        minLength: 1,
        maxLength: 256,
        format: 'single-line',
        description: 'The platform’s secret.',
        examples: ['sk_live_…'],
      }),
    },
    {
      title: 'LogInPlatformRequest',
      examples: [{ platform_id: exampleId('plt'), platform_secret: 'sk_live_…' }],
    },
  ),
  status: 200,
  response: response(
    { platform_id: idSchema('plt'), expires_at: timestamp('When the session ends.') },
    {
      title: 'PlatformSession',
      description: 'The new session.',
      examples: [{ platform_id: exampleId('plt'), expires_at: SESSION_END }],
    },
  ),
  responseDescription: 'Logged in; the session is in the header `Set-Cookie`.',
  errors: ['authentication_error', 'authorization_error'],
})

export const logOutPlatform = route({
  operationId: 'logOutPlatform',
  method: 'POST',
  path: '/v1/auth/platform/logout',
  tag: 'Login',
  summary: 'Log a platform out',
  description:
    'Ends the session of the cookie `service_platform_session` at once, on every node, and deletes the cookie. A request with the platform’s secret and no session is `authentication_error`.',
  who: ['platform'],
  status: 200,
  response: sessionEnded('PlatformLoggedOut'),
  errors: [],
})
