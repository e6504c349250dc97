<?xml version="1.0"?>
<!-- Orders by customer and region, with sums. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" encoding="UTF-8" indent="no"/>
  <xsl:key name="by-customer" match="order" use="@customer"/>
  <xsl:template match="/orders">
    <html><body>
      <xsl:for-each select="order[generate-id() = generate-id(key('by-customer', @customer)[1])]">
        <xsl:sort select="@customer"/>
        <h1><xsl:value-of select="@customer"/></h1>
        <xsl:variable name="mine" select="key('by-customer', @customer)"/>
        <p><xsl:value-of select="count($mine/item)"/>: <xsl:value-of
          select="sum($mine/item/@price)"/></p>
        <xsl:apply-templates select="$mine"/>
      </xsl:for-each>
    </body></html>
  </xsl:template>
  <xsl:template match="order">
    <div class="{@region}">
      <xsl:for-each select="item">
        <xsl:sort select="@name"/>
        <span><xsl:value-of select="concat(substring(@name, 1, 9), ' ', @count * @price)"/></span>
      </xsl:for-each>
    </div>
  </xsl:template>
</xsl:stylesheet>
