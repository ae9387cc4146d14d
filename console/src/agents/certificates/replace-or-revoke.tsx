import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { certificatesTexts } from './texts.ts'

interface CertificateProps {
  readonly certificateId: string
}

/** Revokes a certificate and issues another one that says the same. */
export function Replace({ certificateId }: CertificateProps) {
  const t = useTexts(certificatesTexts)
  const [isAsked, ask] = useState(false)
  const rotate = useAct('rotateCertificate', {
    onDone() {
      ask(false)
      sayDone(t.isRotated)
    },
  })
  return (
    <>
      <Button size="sm" variant="default" aria-label={t.rotateOne(certificateId)} onClick={() => ask(true)}>
        {t.rotate}
      </Button>
      <Confirm
        opened={isAsked}
        title={t.rotateTitle}
        act={t.rotate}
        acting={rotate.isPending}
        error={rotate.error}
        onAct={() => rotate.mutate({ cert_id: certificateId })}
        onClose={() => ask(false)}
      >
        <Text>{t.rotateHint}</Text>
      </Confirm>
    </>
  )
}

export function Revoke({ certificateId }: CertificateProps) {
  const t = useTexts(certificatesTexts)
  const [isAsked, ask] = useState(false)
  const [written, write] = useState('')
  const reason = written.trim()
  const revoke = useAct('revokeCertificate', {
    onDone() {
      ask(false)
      sayDone(t.isRevoked)
    },
  })
  return (
    <>
      <Button size="sm" variant="default" aria-label={t.revokeOne(certificateId)} onClick={() => ask(true)}>
        {t.revoke}
      </Button>
      <Confirm
        opened={isAsked}
        title={t.revokeTitle}
        act={t.revoke}
        danger
        acting={revoke.isPending}
        error={revoke.error}
        onAct={() => revoke.mutate({ cert_id: certificateId, ...(reason !== '' && { reason }) })}
        onClose={() => ask(false)}
      >
        <Text>{t.revokeHint}</Text>
        <TextInput
          label={t.reason}
          description={t.reasonHint}
          name="reason"
          maxLength={500}
          autoComplete="off"
          value={written}
          onChange={event => write(event.currentTarget.value)}
        />
      </Confirm>
    </>
  )
}
