/** The most common words in published lists of leaked passwords, in lower case. */
export const COMMON_WORDS = `
  password passwort passw0rd motdepasse contrasena contrasenia senha parola wachtwoord haslo salasana
  admin administrator root user username login guest test tester testing demo default temp temporary changeme changethis
  welcome letmein access secret master superuser system service server computer internet website google facebook
  microsoft windows linux ubuntu oracle postgres postgresql mysql database docker kubernetes github gitlab jenkins
  halyard feature featureflag featureflags toggle flags unleash
  qwertyuiop qwertzuiop azertyuiop qwerty qwertz azerty asdfghjkl asdfgh asdf zxcvbnm zxcvbn zxcv yxcvbnm
  1qaz2wsx3edc4rfv 1qaz2wsx3edc 1qaz2wsx qazwsxedc qazwsx 1q2w3e4r5t6y 1q2w3e4r5t 1q2w3e4r 1q2w3e q1w2e3r4t5 q1w2e3r4
  iloveyou loveyou lovely sweetheart princess sunshine monkey dragon football baseball basketball soccer hockey
  superman batman spiderman starwars pokemon naruto minecraft fortnite liverpool arsenal chelsea barcelona juventus
  michael jennifer jessica michelle ashley daniel andrew joshua matthew robert thomas charlie jordan hunter harley
  shadow killer trustno whatever freedom forever family friend friends summer winter spring autumn january february
  march april june july august september october november december monday tuesday wednesday thursday friday saturday
  sunday hello goodmorning company business office manager security private unbelievable nothing something everything
  mustang ferrari mercedes porsche toyota cheese pepper ginger cookie chocolate banana flower butterfly
  london berlin paris madrid america england germany france canada australia jesus christ angel heaven blessed
`
  .trim()
  .split(/\s+/);
