import { generateKeyPairSync, hash } from 'node:crypto'
import { APP_SCOPES } from '@batua/contract'
import type { ClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { AppsContext } from '../context.ts'
import { type AppsStore, adapterOf } from './adapter.ts'
import { type ClientDocuments, isSafeRedirect } from './clients.ts'
import { OAUTH_ROUTES, REQUEST_S, resourceOf } from './endpoints.ts'
import { errors, interactionPolicy, type Policy, Provider } from './library.ts'

const CODE_S = 60
const ACCESS_TOKEN_S = 60 * 60
/** A grant always says when it ends; this only bounds the types of the library. */
const MOST_GRANT_S = 366 * 24 * 60 * 60

export interface ProviderOptions {
  /** The address of the page on which the owner decides. It also binds the request to the browser. */
  readonly consentUrl: (ctx: KoaContextWithOIDC, requestId: string) => string
  readonly documents: ClientDocuments
}

/** The OAuth 2.1 server, by oidc-provider: no OpenID Connect, one resource, public clients with PKCE. */
export function createProvider(
  context: AppsStore & Pick<AppsContext, 'baseUrl' | 'logger'>,
  options: ProviderOptions,
): Provider {
  const { baseUrl, vault, logger } = context
  const { origin } = new URL(baseUrl)
  const provider = new Provider(origin, {
    ...protocol(resourceOf(baseUrl)),
    ...lifetimes,
    adapter: name => adapterOf(context, options.documents, name),
    // Nothing is signed: codes and tokens are opaque, and there are no id tokens.
    jwks: { keys: [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })] },
    cookies: {
      names: { session: 'oauth_session', interaction: 'oauth_interaction', resume: 'oauth_resume' },
      keys: [vault.blindIndex('cookies', 'oauth').toString('base64url')],
    },
    fetch: options.documents.fetch,
    interactions: {
      policy: alwaysAsk(),
      url: (ctx, { uid }) => options.consentUrl(ctx, uid),
    },
    renderError(ctx, out) {
      ctx.type = 'html'
      ctx.set('content-security-policy', errorPage.policy)
      ctx.body = errorPage.html(out.error, out.error_description)
    },
  } satisfies Configuration)
  // TLS ends before the service; the route says which scheme the public address has.
  provider.proxy = true
  provider.on('server_error', (_ctx, error) => logger.error({ err: error }, 'an OAuth request failed'))
  return provider
}

/** Every request asks the owner, whatever she allowed before: each connection has a cap and an end of its own. */
function alwaysAsk(): Policy {
  const policy = interactionPolicy.base()
  policy.clear()
  const ask = new interactionPolicy.Check(
    'not_asked',
    'the owner has to decide',
    'interaction_required',
    ctx =>
      ctx.oidc.result?.['consent'] === undefined
        ? interactionPolicy.Check.REQUEST_PROMPT
        : interactionPolicy.Check.NO_NEED_TO_PROMPT,
  )
  policy.add(new interactionPolicy.Prompt({ name: 'consent', requestable: true }, ask))
  return policy
}

function protocol(resource: string) {
  return {
    routes: OAUTH_ROUTES,
    scopes: [],
    responseTypes: ['code' as const],
    clientAuthMethods: ['none' as const, 'client_secret_basic' as const, 'client_secret_post' as const],
    clientDefaults: {
      id_token_signed_response_alg: 'EdDSA' as const,
      token_endpoint_auth_method: 'none' as const,
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    expiresWithSession: async () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    findAccount: async (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    async loadExistingGrant(ctx: KoaContextWithOIDC) {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
    },
    extraClientMetadata: { properties: ['application_type'], validator: requireSafeRedirects },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      claimsParameter: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx: unknown, indicator: string) {
          if (indicator !== resource) throw new errors.InvalidTarget('this server has one resource')
          return { scope: APP_SCOPES.join(' '), audience: resource, accessTokenFormat: 'opaque' as const }
        },
      },
    },
  }
}

/** A response goes by https, to a program of the person’s machine, or by the program’s own scheme. */
function requireSafeRedirects(
  _ctx: unknown,
  _key: string,
  _value: unknown,
  { redirect_uris: uris = [] }: ClientMetadata,
): void {
  if (!uris.every(uri => isSafeRedirect(uri)))
    throw new errors.InvalidClientMetadata(
      'redirect_uris must be https, or loopback addresses of the same machine',
    )
}

/** No token outlives its grant, which ends when the owner said. */
const lifetimes = {
  ttl: {
    Interaction: REQUEST_S,
    Session: REQUEST_S,
    AuthorizationCode: CODE_S,
    Grant: MOST_GRANT_S,
    AccessToken: (ctx: KoaContextWithOIDC) => Math.min(ACCESS_TOKEN_S, secondsLeft(ctx)),
    RefreshToken: secondsLeft,
  },
}

function secondsLeft(ctx: KoaContextWithOIDC): number {
  const { exp = 0 } = ctx.oidc.entities.Grant ?? {}
  return Math.max(1, exp - Math.floor(Date.now() / 1000))
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;box-sizing:border-box}main{max-width:28rem}h1{font-size:1.4rem;line-height:1.25;margin:0 0 .5rem}p{margin:.5rem 0}code{overflow-wrap:anywhere}`

/** What a person reads when a request is so wrong that it cannot be answered to the client. */
export const errorPage = {
  policy: `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  html: (error: string, description = '') => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not connected</title>
<style>${STYLE}</style>
<main>
<h1>The app cannot be connected</h1>
<p>Its request is not valid, so nothing was allowed. Close this page and start again in the app.</p>
<p lang="hi">ऐप का अनुरोध सही नहीं है, इसलिए कोई अनुमति नहीं दी गई। यह पेज बंद करें और ऐप में फिर से शुरू करें।</p>
<p><code>${escaped(error)}${description === '' ? '' : `: ${escaped(description)}`}</code></p>
</main>
`,
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
