import { useQueryClient } from '@tanstack/react-query'
import { clientFor, type Session } from '../api/api.tsx'
import { STARTS } from './back-to.ts'
import { forgetLogin } from './remembered-login.ts'

/** Ends the session at the service, and forgets here what was read with it. */
export function useLogOut(session: Session): () => void {
  const queries = useQueryClient()
  return () => {
    const client = clientFor(session)
    const ended = session === 'admin' ? client.logOutAdmin() : client.logOut()
    // A whole new page, so that nothing of the session is left in memory. A failed request leaves the session: it says so.
    void ended
      .then(() => {
        forgetLogin(session)
        queries.clear()
        location.assign(`${STARTS[session]}/login`)
      })
      .catch(() => queries.invalidateQueries())
  }
}
