import { texts } from '../../language/texts.ts'

export const invitationTexts = texts({
  en: {
    title: 'Invitations',
    invites: (platform: string) => `${platform} wants to run agents for you`,
    since: (day: string) => `Invited on ${day}. It sees none of your other agents.`,
    accept: 'Accept',
    decline: 'Decline',
    acceptTitle: (platform: string) => `Accept ${platform}?`,
    acceptText:
      'Its agents spend from wallets that you fund, within limits that you set, and ask you here. Accept only a platform that you know.',
    isAccepted: (platform: string) => `${platform} may run agents for you`,
    declineTitle: (platform: string) => `Decline ${platform}?`,
    declineText: 'The platform sees that you declined. It may ask again after 30 days.',
    isDeclined: (platform: string) => `${platform} may not run agents for you`,
  },
  hi: {
    title: 'न्योते',
    invites: platform => `${platform} आपके लिए एजेंट चलाना चाहता है`,
    since: day => `${day} को बुलाया। उसे आपके दूसरे एजेंट नहीं दिखते।`,
    accept: 'स्वीकार करें',
    decline: 'मना करें',
    acceptTitle: platform => `${platform} को स्वीकार करें?`,
    acceptText:
      'उसके एजेंट उन वॉलेट से ख़र्च करते हैं जिनमें आप पैसा डालते हैं, आपकी सीमाओं में, और यहाँ आपसे पूछते हैं। केवल वही प्लेटफ़ॉर्म स्वीकार करें जिसे आप जानते हैं।',
    isAccepted: platform => `${platform} आपके लिए एजेंट चला सकता है`,
    declineTitle: platform => `${platform} को मना करें?`,
    declineText: 'प्लेटफ़ॉर्म को दिखेगा कि आपने मना किया। वह 30 दिन बाद फिर पूछ सकता है।',
    isDeclined: platform => `${platform} आपके लिए एजेंट नहीं चला सकता`,
  },
})
