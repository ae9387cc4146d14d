import { getRouteApi } from '@tanstack/react-router'
import { AgentPage } from '../agents/agent-page.tsx'

const route = getRouteApi('/owner/agents/$agentId')

export function OwnerAgentPage() {
  const navigate = route.useNavigate()
  const { agentId } = route.useParams()
  return (
    <AgentPage
      key={agentId}
      agentId={agentId}
      search={route.useSearch()}
      onSearch={search => void navigate({ search })}
    />
  )
}
