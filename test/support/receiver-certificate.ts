// A certificate for hooks.example.com and its key, for receivers in tests. Nothing outside of tests trusts it. It is
// valid from 2020 to 2120, so that no test depends on the clock.
export const RECEIVER_NAME = 'hooks.example.com';

export const RECEIVER_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0WsLhJnjRcjTGXzI
YQT8IOKfo4saSHPFHMdhrpdPLmWhRANCAASbfnBzlpLm1c8CI/qLUEoKpo2D5+xE
Te/v2Z7oqsGArneey490WfNIgOPu989581DbI+H7keyWFoz+CfeAsteq
-----END PRIVATE KEY-----`;

export const RECEIVER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFob29rcy5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAASbfnBzlpLm1c8CI/qLUEoKpo2D5+xETe/v2Z7oqsGArneey490WfNIgOPu
989581DbI+H7keyWFoz+CfeAsteqo1AwTjAcBgNVHREEFTATghFob29rcy5leGFt
cGxlLmNvbTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSxpIUt1rreHym+1rdW
fh1oMUasCzAKBggqhkjOPQQDAgNIADBFAiAJx8sOZqQm5j5GOSCkOTwpMRau5DHA
+rycIdiA+oBVkAIhANAcYTmuczyf7cvRZ5jb3vNU1angJr+p5KK7UgfsNL/D
-----END CERTIFICATE-----`;
