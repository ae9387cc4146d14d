import type { Client } from '@batua/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { clientFor, type Session } from '../api/api.tsx'
import { unsubscribeHere } from '../safety/push-here.ts'
import { STARTS } from './back-to.ts'
import { forgetLogin } from './remembered-login.ts'

const END: Record<Session, (client: Client) => Promise<unknown>> = {
  owner: client => client.logOut(),
  platform: client => client.logOutPlatform(),
  admin: client => client.logOutAdmin(),
}

/** Ends the session at the service, and forgets here what was read with it. */
export function useLogOut(session: Session): () => void {
  const queries = useQueryClient()
  return () => {
    const client = clientFor(session)
    const ended = END[session](client)
    // A whole new page, so that nothing of the session is left in memory. A failed request leaves the session: it says so.
    void ended
      .then(async () => {
        // The service has ended them for this browser; so does the browser, even if its push service is out of reach.
        if (session === 'owner') await unsubscribeHere().catch(() => undefined)
        forgetLogin(session)
        queries.clear()
        location.assign(`${STARTS[session]}/login`)
      })
      .catch(() => queries.invalidateQueries())
  }
}
