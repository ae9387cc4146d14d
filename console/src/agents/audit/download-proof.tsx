import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { callOperation, useClient, useSession } from '../../api/api.tsx'
import { ErrorLine } from '../../components/error-notice.tsx'
import { saveJson } from '../../components/save-file.ts'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { auditTexts } from './texts.ts'

interface DownloadProofProps {
  readonly auditId: string
  readonly label: string
}

/** The name of the file with the proof of an entry. */
export function proofFile(auditId: string): string {
  return `proof-${auditId}.json`
}

/** Downloads an entry with the proof that the log has it, as `npm run verify` reads it. */
export function DownloadProof({ auditId, label }: DownloadProofProps) {
  const t = useTexts(auditTexts)
  const client = useClient()
  const download = useMutation({
    meta: { session: useSession() },
    async mutationFn() {
      const proof = await callOperation(client, 'verifyAuditEntry', { audit_id: auditId }, {})
      if (!proof.valid) return proof.reason
      saveJson(proof, proofFile(auditId))
      sayDone(t.isDownloaded)
      return 'ok'
    },
  })
  const { data: reason = 'ok', error } = download
  return (
    <>
      <Button
        size="sm"
        variant="default"
        aria-label={label}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        {t.download}
      </Button>
      {reason !== 'ok' && <Problem>{reason === 'pending' ? t.pending : t.invalid(reason)}</Problem>}
      {error !== null && <ErrorLine error={error} />}
    </>
  )
}

function Problem({ children }: { readonly children: string }) {
  return (
    <Text role="alert" size="sm" c="error" mt={4}>
      {children}
    </Text>
  )
}
