import { texts } from '../../language/texts.ts'

export const ownersTexts = texts({
  en: {
    title: 'Owners',
    lead: 'The people behind your agents.',
    loading: 'Loading owners…',
    owner: 'Owner',
    kyc: 'KYC',
    link: 'Invitation',
    status: 'State',
    created: 'Created',
    kycStatus: { none: 'Not begun', pending: 'Pending', verified: 'Verified', failed: 'Failed' },
    linkStatus: { accepted: 'Accepted', invited: 'Waits for an answer', declined: 'Declined' },
    emptyTitle: 'No owners yet',
    empty: 'Create one with POST /v1/owners. The first page shows how.',
  },
  hi: {
    title: 'मालिक',
    lead: 'आपके एजेंटों के पीछे के लोग।',
    loading: 'मालिक आ रहे हैं…',
    owner: 'मालिक',
    kyc: 'केवाईसी',
    link: 'न्योता',
    status: 'स्थिति',
    created: 'बनाया गया',
    kycStatus: { none: 'शुरू नहीं', pending: 'बाक़ी', verified: 'पूरा', failed: 'नहीं हुआ' },
    linkStatus: { accepted: 'स्वीकार', invited: 'जवाब का इंतज़ार', declined: 'अस्वीकार' },
    emptyTitle: 'अभी कोई मालिक नहीं',
    empty: 'POST /v1/owners से एक बनाएँ। पहला पेज बताता है कि कैसे।',
  },
})
