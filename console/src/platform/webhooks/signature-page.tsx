import { Button, PasswordInput, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icon.tsx'
import classes from '../../components/notice.module.css'
import { PageTitle } from '../../components/page-title.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { WebhookPages } from '../parts.tsx'
import { checkSignature, type SentWebhook, type SignatureResult } from './check-signature.ts'
import { webhooksTexts } from './texts.ts'

/** Says of a webhook that a receiver refused why it is not genuine. */
export function SignaturePage() {
  const t = useTexts(webhooksTexts)
  return (
    <>
      <PageTitle lead={t.signatureLead}>{t.signatureTitle}</PageTitle>
      <WebhookPages />
      <SignatureChecker sent={null} />
    </>
  )
}

/** `sent`: a webhook as the service sent it, to compare with. */
export function SignatureChecker({ sent }: { readonly sent: SentWebhook | null }) {
  const t = useTexts(webhooksTexts)
  const [headers, writeHeaders] = useState(sent?.headers ?? '')
  const [body, writeBody] = useState(sent?.body ?? '')
  const [secret, writeSecret] = useState('')
  const [result, setResult] = useState<SignatureResult | null>(null)
  return (
    <Card>
      <form
        noValidate
        onSubmit={event => {
          event.preventDefault()
          // Receivers compare with the real time, never with the sandbox's clock.
          void checkSignature({ headers, body, secret }, new Date(), sent).then(setResult)
        }}
      >
        <Stack>
          <Textarea
            size="md"
            label={t.headers}
            description={t.headersHint}
            autosize
            minRows={3}
            maxRows={10}
            spellCheck={false}
            value={headers}
            onChange={event => writeHeaders(event.currentTarget.value)}
          />
          <Textarea
            size="md"
            label={t.body}
            description={t.bodyHint}
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            value={body}
            onChange={event => writeBody(event.currentTarget.value)}
          />
          <PasswordInput
            label={t.secret}
            description={t.secretHint}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': t.showSecret }}
            value={secret}
            onChange={event => writeSecret(event.currentTarget.value)}
          />
          <div>
            <Button type="submit">{t.check}</Button>
          </div>
          <div role="status">{result !== null && <Result result={result} />}</div>
        </Stack>
      </form>
    </Card>
  )
}

function Result({ result }: { readonly result: SignatureResult }) {
  const t = useTexts(webhooksTexts)
  const isGenuine = result.kind === 'genuine'
  return (
    <div className={classes.notice} data-kind={isGenuine ? 'good' : 'bad'}>
      <Icon name={isGenuine ? 'check' : 'warning'} />
      <Stack gap={4}>
        <Text fw={600}>{isGenuine ? t.genuine : t.notGenuine}</Text>
        <Text>{useReason(result)}</Text>
      </Stack>
    </div>
  )
}

function useReason(result: SignatureResult): string {
  const t = useTexts(webhooksTexts)
  const format = useFormat()
  switch (result.kind) {
    case 'genuine':
      return t.reasons.genuine(format.moment(result.sentAt, new Date()))
    case 'missing header':
      return t.reasons.missingHeader(result.header)
    case 'too old':
      return t.reasons.tooOld(format.duration(result.awayMs))
    case 'too new':
      return t.reasons.tooNew(format.duration(result.awayMs))
    case 'invalid timestamp':
      return t.reasons.invalidTimestamp
    case 'invalid secret':
      return t.reasons.invalidSecret
    case 'body rewritten':
      return t.reasons.bodyRewritten
    case 'body altered':
      return t.reasons.bodyAltered
    case 'wrong secret':
      return t.reasons.wrongSecret
    case 'wrong secret or body altered':
      return t.reasons.eitherOf
  }
}
