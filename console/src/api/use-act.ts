import { newIdempotencyKey } from '@batua/sdk'
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { callOperation, type InputOf, type Operation, type ResultOf, useClient, useSession } from './api.tsx'
import { callConfirmed, needsPasskey } from './passkey.ts'

interface ActOptions<Name extends Operation> {
  /** Called once for an act, however often it was clicked. */
  readonly onDone?: (result: ResultOf<Name>, input: InputOf<Name>) => void
  /** A passkey confirms it before the service asks for that. */
  readonly confirmFirst?: boolean
}

/**
 * An operation that changes something: `const pause = useAct('pauseAgent')`, then `pause.mutate({ agent_id })`. One
 * intended act has one Idempotency-Key: it stays the same until the act succeeds or its input changes, so a repeat after
 * a lost response does nothing twice; a second click while the first is under way joins it. Where the service asks for the
 * person's passkey, the browser does, and the act goes on. Afterwards everything that this console shows is read again.
 */
export function useAct<Name extends Operation>(
  operation: Name,
  { onDone, confirmFirst = false }: ActOptions<Name> = {},
): UseMutationResult<ResultOf<Name>, Error, InputOf<Name>> {
  const client = useClient()
  const session = useSession()
  const queries = useQueryClient()
  const keys = useRef(new Map<string, string>())
  const running = useRef(new Map<string, Promise<ResultOf<Name>>>())

  async function call(input: InputOf<Name>, idempotencyKey: string): Promise<ResultOf<Name>> {
    try {
      if (!confirmFirst) return await callOperation(client, operation, input, { idempotencyKey })
    } catch (error) {
      if (!needsPasskey(error)) throw error
    }
    return callConfirmed(client, operation, input, idempotencyKey)
  }

  async function actOnce(input: InputOf<Name>, act: string): Promise<ResultOf<Name>> {
    const idempotencyKey = keys.current.get(act) ?? newIdempotencyKey()
    keys.current.set(act, idempotencyKey)
    try {
      const result = await call(input, idempotencyKey)
      keys.current.delete(act)
      onDone?.(result, input)
      return result
    } finally {
      running.current.delete(act)
    }
  }

  return useMutation({
    mutationFn(input) {
      const act = JSON.stringify(input)
      const call = running.current.get(act) ?? actOnce(input, act)
      running.current.set(act, call)
      return call
    },
    onSettled() {
      // A page that the person returns to shows nothing from before the act, not even for a moment.
      queries.removeQueries({ queryKey: [session], type: 'inactive' })
      return queries.invalidateQueries({ queryKey: [session] })
    },
    meta: { session },
  })
}
