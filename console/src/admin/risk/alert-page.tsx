import type { RiskAlertDetails } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { Waiting } from '../../components/waiting.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from '../admin.module.css'
import { AgentLink, Back } from '../links.tsx'
import { Evidence } from './evidence.tsx'
import { Review } from './review.tsx'
import { Subject } from './risk-page.tsx'
import { riskTexts } from './texts.ts'
import { useFinding } from './use-finding.ts'

const route = getRouteApi('/admin/risk/$alertId')

/** One alert: its evidence, drawn and listed, and the review. */
export function AlertPage() {
  const t = useTexts(riskTexts)
  const { alertId } = route.useParams()
  const finding = useFinding()
  const alert = useRead('getRiskAlert', { alert_id: alertId })
  return (
    <>
      <Back to="/admin/risk">{t.back}</Back>
      {alert.data === undefined && <PageTitle>{t.alert}</PageTitle>}
      <Loaded query={alert} loading={t.loadingOne}>
        {found => (
          <>
            <PageTitle
              lead={
                <span className={classes.lead}>
                  <Status is={found.status} /> {t.severity}: {t.severities[found.severity]}
                </span>
              }
            >
              {t.rules[found.rule]}
            </PageTitle>
            <Stack gap="xl">
              <Card label={t.alert}>
                <Stack>
                  <Text fw={600}>{finding(found)}</Text>
                  <AlertFacts alert={found} />
                  {found.status === 'open' && <Review alert={found} />}
                </Stack>
              </Card>
              <Evidence alert={found} />
            </Stack>
          </>
        )}
      </Loaded>
    </>
  )
}

function AlertFacts({ alert }: { readonly alert: RiskAlertDetails }) {
  const t = useTexts(riskTexts)
  const [agent] = alert.agents
  const isAboutAgent = agent !== undefined && agent.agent_id === alert.agent_id
  return (
    <Facts
      facts={[
        [
          t.subject,
          isAboutAgent ? (
            <AgentLink key="subject" id={agent.agent_id} name={agent.name} detail={`@${agent.handle}`} />
          ) : (
            <Subject key="subject" alert={alert} />
          ),
        ],
        [t.points, String(alert.score)],
        [t.score, alert.agent_id === null ? null : <Score key="score" agentId={alert.agent_id} />],
        [t.opened, <Moment key="opened" at={alert.created_at} />],
        [t.reviewedAt, alert.reviewed_at === null ? null : <Moment key="reviewed" at={alert.reviewed_at} />],
        [t.note, alert.note],
      ]}
    />
  )
}

function Score({ agentId }: { readonly agentId: string }) {
  const { data } = useRead('getRiskScore', { agent_id: agentId })
  return data === undefined ? <Waiting /> : String(data.score)
}
