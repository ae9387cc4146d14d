import type { Api, Download } from '@batua/sdk'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { callOperation, type InputOf, useClient, useSession } from './api.tsx'

/** The operations whose answer is a file. */
export type DownloadOperation = {
  [Name in keyof Api]: Awaited<ReturnType<Api[Name]>> extends Download<unknown> ? Name : never
}[keyof Api]

/** Fetches a file and lets the browser save it under the name that the service gives it. */
export function useDownload<Name extends DownloadOperation>(
  operation: Name,
  { onDone }: { readonly onDone: () => void },
): UseMutationResult<void, Error, InputOf<Name>> {
  const client = useClient()
  const session = useSession()
  return useMutation({
    async mutationFn(input) {
      const download: Download<unknown> = await callOperation(client, operation, input, {})
      save(new Blob([await download.bytes()], { type: download.type }), download.fileName ?? operation)
      onDone()
    },
    meta: { session },
  })
}

/** The browser has begun to save the file when its address is given up. */
const SAVING_MS = 60_000

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), SAVING_MS)
}
