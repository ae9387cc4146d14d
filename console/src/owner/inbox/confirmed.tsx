import type { Approval } from '@batua/sdk'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { DownloadProof, proofFile } from '../../agents/audit/download-proof.tsx'
import { HowToVerify } from '../../agents/audit/how-to-verify.tsx'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { saveJson } from '../../components/save-file.ts'
import { useTexts } from '../../language/language.tsx'
import { inboxTexts } from './texts.ts'

interface ConfirmedProps {
  readonly approval: Approval
  readonly evidence: NonNullable<Approval['evidence']>
}

/** The files that prove, without the service, that the owner's passkey confirmed exactly this request. */
export function Confirmed({ approval, evidence }: ConfirmedProps) {
  const t = useTexts(inboxTexts)
  const passkeys = useRead('listPasskeys', { include: 'removed' })
  const approvalFile = `approval-${approval.approval_id}.json`
  return (
    <Card>
      <Title order={2} size="h3" mb="sm">
        {t.confirmed}
      </Title>
      <Loaded query={passkeys} loading={t.loadingPasskey}>
        {({ passkeys: all }) => {
          const passkey = all.find(({ passkey_id }) => passkey_id === evidence.passkey_id)
          if (passkey === undefined) return <Text>{t.confirmedElsewhere}</Text>
          const proof = proofFile(passkey.audit_id)
          return (
            <Stack gap="sm">
              <Text>{t.confirmedBy(passkey.name)}</Text>
              <Group>
                <Button size="sm" variant="default" onClick={() => saveJson(approval, approvalFile)}>
                  {t.downloadApproval}
                </Button>
                <DownloadProof auditId={passkey.audit_id} label={t.downloadPasskey} />
              </Group>
              <HowToVerify files={`${approvalFile} --proof ${proof}`} />
            </Stack>
          )
        }}
      </Loaded>
    </Card>
  )
}
