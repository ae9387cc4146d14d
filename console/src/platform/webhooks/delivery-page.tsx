import type { WebhookDeliveryDetails } from '@batua/sdk'
import { Button, Stack, Text, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { useDeliveryError } from '../../components/delivery-texts.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { componentTexts } from '../../components/texts.ts'
import { useFormat, useTexts } from '../../language/language.tsx'
import { BackTo, Code } from '../parts.tsx'
import { Retry } from './retry.tsx'
import { SignatureChecker } from './signature-page.tsx'
import { webhooksTexts } from './texts.ts'

const route = getRouteApi('/platform/webhooks/$deliveryId')

/** One delivery: what was sent, and what the receiver responded each time. */
export function DeliveryPage() {
  const t = useTexts(webhooksTexts)
  const { deliveryId } = route.useParams()
  const delivery = useRead('getWebhookDelivery', { delivery_id: deliveryId })
  return (
    <>
      <BackTo to="/platform/webhooks">{t.back}</BackTo>
      {delivery.data === undefined && <PageTitle>{t.delivery}</PageTitle>}
      <Loaded query={delivery} loading={t.loadingOne}>
        {found => (
          <>
            <PageTitle lead={<Status is={found.status} />} actions={<Retry delivery={found} />}>
              {found.event}
            </PageTitle>
            <Stack>
              <Card label={t.details}>
                <DeliveryFacts delivery={found} />
              </Card>
              <Attempts attempts={found.attempt_history} onReload={() => void delivery.refetch()} />
              <Request key={found.attempts} delivery={found} />
            </Stack>
          </>
        )}
      </Loaded>
    </>
  )
}

function DeliveryFacts({ delivery }: { readonly delivery: WebhookDeliveryDetails }) {
  const t = useTexts(webhooksTexts)
  const format = useFormat()
  const { url, attempts, created_at, delivered_at, next_attempt_at, event_id } = delivery
  const error = useDeliveryError()(delivery)
  return (
    <Facts
      facts={[
        [t.url, url],
        [t.at, <Moment key="at" at={created_at} />],
        [t.attemptCount, format.number(attempts)],
        [t.deliveredAt, delivered_at === null ? null : <Moment key="delivered" at={delivered_at} />],
        [t.nextAttempt, next_attempt_at === null ? null : <Moment key="next" at={next_attempt_at} />],
        [t.lastError, error],
        [t.eventId, event_id],
      ]}
    />
  )
}

type Attempt = WebhookDeliveryDetails['attempt_history'][number]

interface AttemptsProps {
  readonly attempts: readonly Attempt[]
  readonly onReload: () => void
}

function Attempts({ attempts, onReload }: AttemptsProps) {
  const t = useTexts(webhooksTexts)
  const { reload } = useTexts(componentTexts)
  const format = useFormat()
  if (attempts.length === 0) {
    return (
      <EmptyState
        icon="clock"
        title={t.notTried}
        action={
          <Button variant="light" onClick={onReload}>
            {reload}
          </Button>
        }
      >
        {t.notTriedHint}
      </EmptyState>
    )
  }
  const columns: readonly Column<Attempt>[] = [
    { id: 'at', name: t.began, cell: ({ at }) => <Moment at={at} /> },
    {
      id: 'response',
      name: t.response,
      cell: ({ response_status, error }) => error ?? response_status ?? t.noResponse,
    },
    {
      id: 'took',
      name: t.took,
      align: 'end',
      cell: ({ duration_ms }) => (
        <span className="figures">{t.milliseconds(format.number(duration_ms))}</span>
      ),
    },
  ]
  return (
    <Stack gap="sm">
      <Title order={2}>{t.attemptList}</Title>
      <Card flush>
        <DataTable label={t.attemptList} columns={columns} rows={attempts} rowKey={({ at }) => at} />
      </Card>
    </Stack>
  )
}

/** The request as it is sent, and whether a secret signed it. */
function Request({ delivery: { request } }: { readonly delivery: WebhookDeliveryDetails }) {
  const t = useTexts(webhooksTexts)
  if (request === null) return <Text c="dimmed">{t.unverified}</Text>
  const headers = Object.entries(request.headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
  return (
    <>
      <Card>
        <Stack>
          <Code title={t.headers} text={headers} />
          <Code title={t.body} text={request.body} />
        </Stack>
      </Card>
      <Title order={2}>{t.signatureTitle}</Title>
      <SignatureChecker sent={{ headers, body: request.body }} />
    </>
  )
}
