import { useRead } from '../api/use-read.ts'

/** Events come at once; this is for the time in which no stream of events is open. */
export const WAITING_POLL_MS = 60_000

/** The requests that wait for the owner. */
export function useWaiting() {
  return useRead(
    'listApprovals',
    { status: 'pending_approval', limit: 20, offset: 0 },
    { everyMs: WAITING_POLL_MS },
  )
}
