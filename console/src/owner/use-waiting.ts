import { useRead } from '../api/use-read.ts'

export const WAITING_POLL_MS = 5_000

/** The requests that wait for the owner, looked for every few seconds. */
export function useWaiting() {
  return useRead(
    'listApprovals',
    { status: 'pending_approval', limit: 20, offset: 0 },
    { everyMs: WAITING_POLL_MS },
  )
}
