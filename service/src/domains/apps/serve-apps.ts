import type { Provider } from 'oidc-provider'
import type { Server } from '../../http/server.ts'
import type { AppsContext } from './context.ts'
import { openClientDocuments } from './oauth/clients.ts'
import { connectCookie } from './oauth/connect-request.ts'
import { serveOAuth } from './oauth/serve-oauth.ts'
import { serveApps } from './routes.ts'

/** The page on which an owner decides, in the console. */
const CONSENT_PAGE = '/console/connect'

/** The OAuth server and the routes of connected apps. `close` aborts what is read from clients. */
export function serveConnectedApps(
  server: Server,
  context: AppsContext & { readonly serviceName: string },
): { close(): Promise<void> } {
  const { mode, vault, baseUrl } = context
  const documents = openClientDocuments(mode)
  const secure = baseUrl.startsWith('https:')
  let provider: Promise<Provider> | undefined
  const openProvider = () => (provider ??= loadProvider())
  async function loadProvider(): Promise<Provider> {
    // Loaded at the first request of an app: most starts need none of the library.
    const { createProvider } = await import('./oauth/provider.ts')
    return createProvider(context, {
      documents,
      consentUrl(ctx, requestId) {
        ctx.append('set-cookie', connectCookie(vault, requestId, secure))
        return `${CONSENT_PAGE}/${requestId}`
      },
    })
  }
  serveOAuth(server, openProvider, context)
  serveApps(server.serve, context, openProvider)
  return { close: () => documents.close() }
}
