/** Where each console begins, and where one logs in to it. */
export const STARTS = {
  owner: '/console',
  platform: '/console/platform',
  admin: '/console/admin',
} as const

/** The address that a login returns to: only ever an address of this console, whatever the link said. */
export function backTo(back: string | undefined, start: string): string {
  if (back === undefined || !URL.canParse(back, location.origin)) return start
  const { origin, pathname, search } = new URL(back, location.origin)
  const isOwn = origin === location.origin && (pathname === '/console' || pathname.startsWith('/console/'))
  return isOwn && !pathname.endsWith('/login') ? pathname + search : start
}
