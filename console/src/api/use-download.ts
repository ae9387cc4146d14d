import type { Api, Download } from '@batua/sdk'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { saveFile } from '../components/save-file.ts'
import { callOperation, type InputOf, useClient, useSession } from './api.tsx'

/** The operations whose response is a file. */
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
      saveFile(new Blob([await download.bytes()], { type: download.type }), download.fileName ?? operation)
      onDone()
    },
    meta: { session },
  })
}
