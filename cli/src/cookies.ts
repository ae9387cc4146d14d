/** The cookie of an owner's session. */
export const SESSION_COOKIE = 'service_session'
/** Distinguishes browsers at a login, so that nobody uses up the tries of another. */
export const BROWSER_COOKIE = 'service_browser'

/** The cookies that the service sets, as a browser would keep them. */
export function cookieJar(browser: string | null = null) {
  const kept = new Map<string, string>()
  return {
    value: (name: string) => kept.get(name) ?? null,
    names: () => [...kept.keys()],
    async fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers)
      if (browser !== null) {
        headers.set('cookie', `${BROWSER_COOKIE}=${browser}`)
        headers.set('origin', new URL(input instanceof Request ? input.url : input).origin)
      }
      const response = await fetch(input, { ...init, headers })
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (value !== '') kept.set(name, value)
      }
      return response
    },
  }
}
