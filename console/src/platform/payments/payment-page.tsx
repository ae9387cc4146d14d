import type { Payment, Receipt } from '@batua/sdk'
import { Stack, Text, Title } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Waiting } from '../../components/waiting.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { useContextFacts } from '../../owner/inbox/approval-facts.tsx'
import { BackTo, Code } from '../parts.tsx'
import { paymentsTexts } from './texts.ts'

const route = getRouteApi('/platform/payments/$paymentId')

/** One payment: its receipt, which both sides see, and what only the payer's platform sees. */
export function PaymentPage() {
  const t = useTexts(paymentsTexts)
  const { paymentId } = route.useParams()
  const receipt = useRead('getReceipt', { receipt_id: paymentId })
  return (
    <>
      <BackTo to="/platform/payments">{t.back}</BackTo>
      {receipt.data === undefined && <PageTitle>{t.payment}</PageTitle>}
      <Loaded query={receipt} loading={t.loadingOne}>
        {found => <Found receipt={found} />}
      </Loaded>
    </>
  )
}

function Found({ receipt }: { readonly receipt: Receipt }) {
  const t = useTexts(paymentsTexts)
  const format = useFormat()
  const { payment_id, from, from_handle, to_handle, amount } = receipt
  // Refused when the payer is another platform's.
  const payment = useRead('getPayment', { agent_id: from, payment_id })
  return (
    <>
      <PageTitle lead={`@${from_handle} → @${to_handle}`}>{format.amount(amount)}</PageTitle>
      <Stack>
        <Card label={t.details}>
          <ReceiptFacts receipt={receipt} />
        </Card>
        {payment.isPending && <Waiting />}
        {payment.data !== undefined && <PayersView payment={payment.data} />}
        {payment.error !== null && <Text c="dimmed">{t.elsewhere}</Text>}
        <Card>
          <Code title={t.receipt} text={JSON.stringify(receipt, null, 2)} />
          <Text size="sm" c="dimmed" mt="sm">
            {t.receiptHint}
          </Text>
        </Card>
      </Stack>
    </>
  )
}

function ReceiptFacts({ receipt }: { readonly receipt: Receipt }) {
  const t = useTexts(paymentsTexts)
  const { payment_id, from_handle, to_handle, amount, fee, reference, note, created_at } = receipt
  return (
    <Facts
      facts={[
        [t.payer, `@${from_handle}`],
        [t.payee, `@${to_handle}`],
        [t.amount, <Amount key="amount" rupees={amount} />],
        [t.fee, <Amount key="fee" rupees={fee} />],
        [t.paidWith, reference],
        [t.note, note],
        [t.made, <Moment key="made" at={created_at} />],
        [t.id, payment_id],
      ]}
    />
  )
}

/** What was refunded, who approved it, and why it was paid. */
function PayersView({ payment }: { readonly payment: Payment }) {
  const t = useTexts(paymentsTexts)
  const { refunded_total, approval_id } = payment
  const context = useContextFacts(payment)
  return (
    <>
      <Card label={t.refunded}>
        <Facts
          facts={[
            [
              t.refunded,
              refunded_total === 0 ? t.notRefunded : <Amount key="refunded" rupees={refunded_total} />,
            ],
            [
              t.approval,
              approval_id === undefined ? (
                t.noApproval
              ) : (
                <Link
                  key="approval"
                  to="/platform/payments/approvals/$approvalId"
                  params={{ approvalId: approval_id }}
                >
                  {approval_id}
                </Link>
              ),
            ],
          ]}
        />
      </Card>
      {context.length > 0 && (
        <Card>
          <Title order={2} mb="sm">
            {t.context}
          </Title>
          <Facts facts={context} />
        </Card>
      )}
    </>
  )
}
